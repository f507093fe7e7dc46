import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { setTimeout as delay } from 'node:timers/promises'

export interface Exit {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
}

/** One life of a process. */
export interface Run {
  readonly pid: number
  /** Resolves when the process has ended and its last line is read. */
  readonly exited: Promise<Exit>
  kill(signal: NodeJS.Signals): void
  /** SIGTERM, then SIGKILL if that does not end it. */
  stop(): Promise<void>
}

interface Launch {
  /** The script and its arguments, for this Node. */
  readonly command: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly onLine: (line: string) => void
}

/** Beyond the 25 seconds after which our processes end themselves. */
const STOP_TIMEOUT_MS = 28_000

export async function launch({ command, env, onLine }: Launch): Promise<Run> {
  // Only what the deployment says is in its environment. A group of its own: Ctrl-C in a terminal reaches this process
  // alone, which stops the other once.
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

/** Ends the process when this one is gone without doing so: even SIGKILL closes the pipe that `read` waits on. */
function watchOver({ pid }: ChildProcess): ChildProcess {
  const script = 'read -r _; kill -KILL "$1"'
  const watchdog = spawn('/bin/sh', ['-c', script, 'sh', String(pid)], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  watchdog.unref()
  return watchdog
}
