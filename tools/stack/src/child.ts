import { setTimeout as delay } from 'node:timers/promises'
import { answersOk } from './answers-ok.ts'
import { type Exit, launch, type Run } from './launch.ts'

export type Environment = Readonly<Record<string, string>>

export interface Child {
  readonly name: string
  readonly pid: number
  readonly exited: Promise<Exit>
  kill(signal: NodeJS.Signals): void
  /**
   * Starts the process again with the same configuration and port, and resolves when it is ready. A running
   * process is stopped first. `env` replaces the extra variables; without it they are gone, so a fault that
   * killed the process is not armed again. `program` replaces the program, for later restarts too.
   */
  restart(env?: Environment, program?: string): Promise<void>
  /** The newest lines of stdout and stderr, including earlier runs. */
  lines(): readonly string[]
  stop(): Promise<void>
}

export interface ChildOptions {
  readonly name: string
  /** Options of Node. */
  readonly flags?: readonly string[] | undefined
  readonly program: string
  readonly args: readonly string[]
  readonly env: Environment
  readonly extraEnv?: Environment | undefined
  readonly isReadyLine: (line: string) => boolean
  /** Answers 200 once ready. Null if the ready line is enough. */
  readonly readyUrl: string | null
  readonly onLine: (line: string) => void
  readonly signal: AbortSignal | undefined
}

const LINES_MAX = 1_000
const ERROR_LINES_MAX = 20
const START_TIMEOUT_MS = 60_000
const POLL_MS = 25

/** Starts a process and resolves when it is ready. Rejects with its last lines if it never is. */
export async function startChild(options: ChildOptions): Promise<Child> {
  const { name, flags = [], args, isReadyLine } = options
  const lines: string[] = []
  let { program } = options

  async function start(extraEnv: Environment = {}): Promise<Run> {
    const tail: string[] = []
    let isReady = false
    const run = await launch({
      command: [...flags, program, ...args],
      env: { ...options.env, ...extraEnv },
      onLine: (line) => {
        isReady ||= isReadyLine(line)
        keep(tail, ERROR_LINES_MAX, line)
        keep(lines, LINES_MAX, line)
        options.onLine(line)
      },
    })
    try {
      await untilReady(run, () => isReady, options)
      return run
    } catch (cause) {
      run.kill('SIGKILL')
      await run.exited
      const reason = cause instanceof Error ? cause.message : 'unknown'
      throw new Error([`the ${name} did not start: ${reason}`, ...tail].join('\n  '), { cause })
    }
  }

  let run = await start(options.extraEnv)
  return {
    name,
    get pid() {
      return run.pid
    },
    get exited() {
      return run.exited
    },
    kill: (signal) => run.kill(signal),
    restart: async (env, other = program) => {
      await run.stop()
      program = other
      run = await start(env)
    },
    lines: () => lines,
    stop: () => run.stop(),
  }
}

function keep(lines: string[], max: number, line: string): void {
  lines.push(line)
  if (lines.length > max) lines.shift()
}

async function untilReady(
  run: Run,
  hasSaidSo: () => boolean,
  { readyUrl, signal }: ChildOptions,
): Promise<void> {
  const timeout = AbortSignal.timeout(START_TIMEOUT_MS)
  let exit: Exit | undefined
  void run.exited.then((how) => {
    exit = how
  })
  for (;;) {
    signal?.throwIfAborted()
    if (exit !== undefined) throw new Error(`it ended with ${exitWords(exit)}`)
    if (hasSaidSo() && (readyUrl === null || (await answersOk(readyUrl)))) return
    if (timeout.aborted) throw new Error(`it was not ready within ${START_TIMEOUT_MS} ms`)
    await delay(POLL_MS)
  }
}

export const exitWords = ({ code, signal }: Exit): string => signal ?? `exit code ${code}`
