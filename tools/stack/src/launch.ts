import { execa } from 'execa'

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

/** The folder of Node's compile cache, if there is one. */
const compileCache = (): Record<string, string> => {
  const { NODE_COMPILE_CACHE } = process.env
  return NODE_COMPILE_CACHE === undefined ? {} : { NODE_COMPILE_CACHE }
}

export async function launch({ command, env, onLine }: Launch): Promise<Run> {
  const eachLine = { transform: handOn(onLine) }
  const child = execa(process.execPath, command, {
    // The environment holds only what the deployment says, and the folder of Node's compile cache.
    env: { ...compileCache(), ...env },
    extendEnv: false,
    // A group of its own: Ctrl-C in a terminal reaches this process alone, which stops the other once.
    detached: true,
    stdin: 'ignore',
    stdout: eachLine,
    stderr: eachLine,
    buffer: false,
    reject: false,
    forceKillAfterDelay: STOP_TIMEOUT_MS,
  })
  const exited = child.then(({ exitCode = null, signal = null }): Exit => ({ code: exitCode, signal }))
  const { pid } = child
  if (pid === undefined) throw new Error(`${process.execPath} cannot be run`)
  const watchdog = watchOver(pid)
  void exited.then(() => watchdog.kill('SIGKILL'))
  return {
    pid,
    exited,
    kill: (signal) => void child.kill(signal),
    stop: async () => {
      child.kill('SIGTERM')
      await exited
    },
  }
}

/** Takes a stream's lines one by one, and passes none on. */
const handOn = (onLine: (line: string) => void) =>
  function* (line: unknown): Generator<never> {
    onLine(String(line))
    yield* []
  }

/** Ends the process when this one is gone without doing so: even SIGKILL closes the pipe that `read` waits on. */
function watchOver(pid: number) {
  return execa('/bin/sh', ['-c', 'read -r _; kill -KILL "$1"', 'sh', String(pid)], {
    detached: true,
    stdout: 'ignore',
    stderr: 'ignore',
    reject: false,
  })
}
