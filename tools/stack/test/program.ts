import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { endWithThisProcess } from '@merchant-payments/testing/end-with-this-process'
import type { Exit } from '../src/index.ts'

const repositoryDir = fileURLToPath(new URL('../../../', import.meta.url))

export interface Program {
  readonly pid: number
  readonly exited: Promise<Exit>
  /** All its output so far. */
  readonly output: () => string
  /** Resolves when it has written this text. Rejects if it ends without. */
  readonly says: (words: string) => Promise<void>
  readonly kill: (signal: NodeJS.Signals) => void
}

/** Runs a root script or a shell from the root of the repository, as a developer does. */
export async function run(
  command: string,
  args: readonly string[],
  env: Record<string, string> = {},
): Promise<Program> {
  const child = endWithThisProcess(
    spawn(command, args, {
      cwd: repositoryDir,
      env: { PATH: process.env['PATH'], NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'], ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    }),
  )
  let output = ''
  let wake = () => {}
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text
      wake()
    })
  }
  const exited = new Promise<Exit>((resolve) => {
    child.once('close', (code, signal) => resolve({ code, signal }))
  })
  await once(child, 'spawn')
  return {
    pid: Number(child.pid),
    exited,
    output: () => output,
    says: async (words) => {
      while (!output.includes(words)) {
        const more = new Promise<'more'>((resolve) => {
          wake = () => resolve('more')
        })
        if ((await Promise.race([more, exited])) !== 'more' && !output.includes(words)) {
          throw new Error(`ended without saying "${words}":\n${output}`)
        }
      }
    },
    kill: (signal) => void child.kill(signal),
  }
}

export const runScript = (name: 'dev' | 'demo', args: readonly string[], env?: Record<string, string>) =>
  run(process.execPath, [`tools/stack/src/${name}.ts`, ...args], env)
