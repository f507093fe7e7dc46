import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { setTimeout as delay } from 'node:timers/promises'

export interface Exit {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
}

export interface Run {
  readonly pid: number
  /** Resolves when the process has ended and its last line is read. */
  readonly exited: Promise<Exit>
  kill(signal: NodeJS.Signals): void
  stop(): Promise<void>
}

interface Launch {
  readonly command: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly onLine: (line: string) => void
}

/** Longer than the 25 seconds after which our processes end themselves. */
const STOP_TIMEOUT_MS = 28_000

export async function launch({ command, env, onLine }: Launch): Promise<Run> {
  // The environment holds only the deployment's variables. In its own process group, the child does not get
  // Ctrl-C of the terminal; this process gets it and stops the child once.
  const child = spawn(process.execPath, command, { env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] })
  const exited = new Promise<Exit>((resolve) => {
    child.once('close', (code, signal) => resolve({ code, signal }))
  })
  for (const output of [child.stdout, child.stderr]) {
    createInterface({ input: output }).on('line', onLine)
  }
  await once(child, 'spawn')
  const watchdog = watchOver(child)
  void exited.then(() => watchdog.kill('SIGKILL'))
  return {
    pid: Number(child.pid),
    exited,
    kill: (signal) => void child.kill(signal),
    stop: async () => {
      child.kill('SIGTERM')
      const hasEnded = await Promise.race([exited, delay(STOP_TIMEOUT_MS, null, { ref: false })])
      if (hasEnded === null) child.kill('SIGKILL')
      await exited
    },
  }
}

/** Kills the process if this one disappears. Even SIGKILL closes the pipe on which `read` waits. */
function watchOver({ pid }: ChildProcess): ChildProcess {
  const script = 'read -r _; kill -KILL "$1"'
  const watchdog = spawn('/bin/sh', ['-c', script, 'sh', String(pid)], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  watchdog.unref()
  return watchdog
}
