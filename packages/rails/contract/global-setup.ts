import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import type { TestProject } from 'vitest/node'
import { findJava } from './java.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** One for the whole run. Each test uses its own paths. */
    wireMockUrl: string
  }
}

/** Keeps few requests. A test reads its own requests at once, and each reading returns all of them. */
const OPTIONS = [
  '--port',
  '0',
  '--bind-address',
  '127.0.0.1',
  '--disable-banner',
  '--max-request-journal-entries',
  '50',
]

const WARM_UP_REQUESTS = 20

export async function setup(project: Pick<TestProject, 'provide'>): Promise<() => Promise<void>> {
  const child = spawn(findJava(), ['-Xmx192m', '-jar', jarPath(), ...OPTIONS], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(child, 'exit')
  // Kills the JVM when the run ends in any way.
  process.once('exit', () => child.kill('SIGKILL'))
  const port = await portSaidBy(createInterface(child.stdout))
  child.stdout.resume()
  const url = `http://127.0.0.1:${port}`
  await warmUp(url)
  project.provide('wireMockUrl', url)
  return async () => {
    child.kill('SIGKILL')
    await ended
  }
}

const require = createRequire(import.meta.url)

function jarPath(): string {
  const build = join(dirname(require.resolve('wiremock/package.json')), 'build')
  return join(build, readdirSync(build).find((name) => name.endsWith('.jar')) ?? '')
}

/** A JVM's first answers take longer than a rail's time-out in these tests. */
async function warmUp(url: string): Promise<void> {
  for (let n = 0; n < WARM_UP_REQUESTS; n += 1) {
    for (const path of ['/__admin/mappings', '/nothing']) await (await fetch(url + path)).text()
  }
}

async function portSaidBy(lines: AsyncIterable<string>): Promise<string> {
  for await (const line of lines) {
    const [, port] = /^port:\s+(\d+)$/.exec(line) ?? []
    if (port !== undefined) return port
  }
  throw new Error('WireMock ended before it said its port')
}
