import { spawnSync } from 'node:child_process'

const APT = 'apt-get'
const QUIET = { stdio: 'ignore' } as const

/**
 * Makes sure that a program is installed. As root on Debian, it installs the package that has it.
 *
 * @throws if the program is missing and cannot be installed
 */
export function requireProgram(program: string, debianPackage = program): void {
  if (isInstalled(program)) return
  if (process.getuid?.() === 0 && isInstalled(APT)) {
    spawnSync(APT, ['update'], QUIET)
    spawnSync(APT, ['install', '--yes', '--no-install-recommends', debianPackage], QUIET)
    if (isInstalled(program)) return
  }
  throw new Error(`the tests need ${program}: install it (Debian's package ${debianPackage})`)
}

const isInstalled = (program: string): boolean => spawnSync(program, ['--version'], QUIET).error === undefined
