import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

const execute = promisify(execFile)

/** The longest that one command may take. Builds of a framework take about a minute. */
const COMMAND_TIMEOUT_MS = 300_000
const OUTPUT_BYTES_MAX = 32 * 1024 * 1024

interface Settings {
  readonly cwd: string
  readonly env?: Readonly<Record<string, string>>
}

/** Runs a program and returns its output. Rejects with both of its outputs if it fails. */
export async function run(
  file: string,
  args: readonly string[],
  { cwd, env = {} }: Settings,
): Promise<string> {
  try {
    const options = {
      cwd,
      env: { ...process.env, ...env },
      timeout: COMMAND_TIMEOUT_MS,
      maxBuffer: OUTPUT_BYTES_MAX,
    }
    return (await execute(file, args, options)).stdout
  } catch (error) {
    const { stdout = '', stderr = '', message } = error as Error & { stdout?: string; stderr?: string }
    throw new Error(`${file} ${args.join(' ')} failed: ${message}\n${stdout}${stderr}`, { cause: error })
  }
}

export const pnpm = (args: readonly string[], settings: Settings): Promise<string> =>
  run('npx', ['--yes', 'pnpm@12', ...args], settings)
