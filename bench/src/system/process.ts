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
  /** The script, its flags before it and its arguments after. */
  readonly command: readonly string[]
  readonly env: Readonly<Record<string, string>>
  /** Takes stdout and stderr: a pipe would have the load generator read every log line. */
  readonly logFile: string
  /** Answers 200 once the server is ready. */
  readonly readyUrl: string
}

const START_TIMEOUT_MS = 60_000
const POLL_MS = 25
const STOP_TIMEOUT_MS = 10_000

/** Runs a server with this Node until it is stopped or this process ends, in whatever way it ends. */
export async function startServer(options: ServerOptions): Promise<ServerProcess> {
  const log = openSync(options.logFile, 'a')
  const child = spawn(process.execPath, options.command, {
    env: { ...options.env },
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

/** Kills the server when this process is gone without doing so: even SIGKILL closes the pipe that `read` waits on. */
function watchOver(child: ChildProcess, pid: number): void {
  const script = 'read -r _; kill -KILL "$1"'
  const watchdog = spawn('/bin/sh', ['-c', script, 'sh', String(pid)], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  child.once('exit', () => watchdog.kill('SIGKILL'))
}

async function untilReady(child: ChildProcess, url: string): Promise<void> {
  const patience = AbortSignal.timeout(START_TIMEOUT_MS)
  for (;;) {
    if (child.exitCode !== null) throw new Error(`it ended with exit code ${child.exitCode}`)
    const ready = await fetch(url, { signal: patience }).then(
      ({ ok }) => ok,
      () => false,
    )
    if (ready) return
    patience.throwIfAborted()
    await delay(POLL_MS)
  }
}

async function stopProcess(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exited = once(child, 'exit')
  child.kill('SIGTERM')
  const patience = setTimeout(() => child.kill('SIGKILL'), STOP_TIMEOUT_MS)
  await exited
  clearTimeout(patience)
}
