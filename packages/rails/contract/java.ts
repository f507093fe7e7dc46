import { spawnSync } from 'node:child_process'

const JAVA_MIN = 17
const JAVA = 'java'
const APT = 'apt-get'
const PACKAGE = 'openjdk-17-jre-headless'
const QUIET = { stdio: 'ignore' } as const

/** Finds a Java for WireMock: an installed one, else Debian's, which it installs if it may. */
export function findJava(): string {
  if (hasJava()) return JAVA
  if (process.getuid?.() === 0 && spawnSync(APT, ['--version'], QUIET).status === 0) {
    spawnSync(APT, ['update'], QUIET)
    spawnSync(APT, ['install', '--yes', '--no-install-recommends', PACKAGE], QUIET)
    if (hasJava()) return JAVA
  }
  throw new Error(`the contract tests need Java ${JAVA_MIN} or newer for WireMock: install it (${PACKAGE})`)
}

function hasJava(): boolean {
  const { error, stderr } = spawnSync(JAVA, ['-version'], { encoding: 'utf8' })
  return error === undefined && majorOf(stderr) >= JAVA_MIN
}

/** Reads the major version from `java -version`. Before version 9 it was the second number. */
export function majorOf(said: string): number {
  const [, first, second] = /version "(\d+)(?:\.(\d+))?/.exec(said) ?? []
  return Number(first === '1' ? second : first) || 0
}
