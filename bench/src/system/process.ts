import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'

export interface ServerProcess {
  readonly pid: number
  stop(): Promise<void>
}

export interface ServerOptions {
  readonly name: string
  readonly command: readonly string[]
  readonly env: Readonly<Record<string, string>>
  /** Receives stdout and stderr. With a pipe, the load generator would have to read every log line. */
  readonly logFile: string
  readonly readyUrl: string
}

const START_TIMEOUT_MS = 60_000
const POLL_MS = 25
const STOP_TIMEOUT_MS = 10_000

/**
 * The folder of Node's compile cache, if the environment names one. The tests do, because they start some thirty
 * servers. Leave it out for figures: with a cache a server takes less memory than at its first start.
 */
const compileCache = (): Record<string, string> => {
  const { NODE_COMPILE_CACHE } = process.env
  return NODE_COMPILE_CACHE === undefined ? {} : { NODE_COMPILE_CACHE }
}

/** Runs a server with this Node until it is stopped or this process ends in any way. */
export async function startServer(options: ServerOptions): Promise<ServerProcess> {
  const log = openSync(options.logFile, 'a')
  const child = spawn(process.execPath, options.command, {
    env: { ...compileCache(), ...options.env },
    detached: true,
    stdio: ['ignore', log, log],
  })
  closeSync(log)
  await once(child, 'spawn')
  const pid = child.pid ?? 0
  watchOver(child, pid)
  try {
    await untilReady(child, options.readyUrl)
  } catch (cause) {
    child.kill('SIGKILL')
    throw new Error(`${options.name} did not start:\n${await readFile(options.logFile, 'utf8')}`, { cause })
  }
  return { pid, stop: () => stopProcess(child) }
}

/** Kills the server if this process disappears. Even SIGKILL closes the pipe on which `read` waits. */
function watchOver(child: ChildProcess, pid: number): void {
  const script = 'read -r _; kill -KILL "$1"'
  const watchdog = spawn('/bin/sh', ['-c', script, 'sh', String(pid)], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  child.once('exit', () => watchdog.kill('SIGKILL'))
}

async function untilReady(child: ChildProcess, url: string): Promise<void> {
  const timeout = AbortSignal.timeout(START_TIMEOUT_MS)
  for (;;) {
    if (child.exitCode !== null) throw new Error(`it ended with exit code ${child.exitCode}`)
    const ready = await fetch(url, { signal: timeout }).then(
      ({ ok }) => ok,
      () => false,
    )
    if (ready) return
    timeout.throwIfAborted()
    await delay(POLL_MS)
  }
}

async function stopProcess(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exited = once(child, 'exit')
  child.kill('SIGTERM')
  const timeout = setTimeout(() => child.kill('SIGKILL'), STOP_TIMEOUT_MS)
  await exited
  clearTimeout(timeout)
}
