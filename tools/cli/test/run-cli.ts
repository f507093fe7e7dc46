import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { bundledProgram } from '@merchant-payments/testing/bundled-program'
import { endWithThisProcess } from '@merchant-payments/testing/end-with-this-process'
import { onTestFinished } from 'vitest'
import { listen } from '@merchant-payments/testing/listen'
import { testFolder } from '@merchant-payments/testing/test-folder'

const main = bundledProgram('tools/cli/src/main.ts')

export interface Ran {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

const environment = (env: Record<string, string>) => ({
  PATH: process.env['PATH'],
  NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
  ...env,
})

/** Runs the command line to its end. */
export const runCli = (
  args: readonly string[],
  env: Record<string, string> = {},
  cwd?: string,
): Promise<Ran> =>
  new Promise((resolve) => {
    execFile(process.execPath, [main, ...args], { env: environment(env), cwd }, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr })
    })
  })

/** Runs the command line with its stdout in a file, or in a pipe such as `| true`. */
export const runCliInto = (
  target: string,
  args: readonly string[],
  cwd: string,
  env: Record<string, string> = {},
): Promise<Ran> =>
  new Promise((resolve) => {
    const script = `set -o pipefail; "$@" ${target.startsWith('|') ? target : `> ${target}`}`
    const command = ['--norc', '-c', script, 'bash', process.execPath, main, ...args]
    execFile('bash', command, { env: environment(env), cwd }, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr })
    })
  })

export interface Running {
  /** The next line of stdout. */
  readonly line: () => Promise<string>
  /** Ends it with Ctrl-C. */
  readonly stop: () => Promise<number | null>
}

/** Runs a command that goes on until it is stopped. */
export function startCli(args: readonly string[], env: Record<string, string>): Running {
  const child = endWithThisProcess(
    spawn(process.execPath, [main, ...args], {
      env: environment(env),
      stdio: ['ignore', 'pipe', 'ignore'],
    }),
  )
  const exited = once(child, 'close')
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]()
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await exited
  })
  return {
    line: async () => String((await lines.next()).value),
    stop: async () => {
      child.kill('SIGINT')
      const [code] = (await exited) as [number | null]
      return code
    },
  }
}

export async function temporaryFolder(): Promise<string> {
  const folder = await testFolder()
  return folder
}

export interface Post {
  readonly headers: Record<string, string>
  readonly body: string
}

/** A merchant's server, which answers with the next of these statuses, and the last of them for ever. */
export async function startServer(...statuses: number[]) {
  const posts: Post[] = []
  let wake = () => {}
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      posts.push({ headers: request.headers as Record<string, string>, body })
      response.writeHead((statuses.length > 1 ? statuses.shift() : statuses[0]) ?? 200).end()
      wake()
    })
  })
  const port = await listen(server)
  const received = async (count: number): Promise<readonly Post[]> => {
    while (posts.length < count) {
      await new Promise<void>((resolve) => {
        wake = resolve
      })
    }
    return posts
  }
  return { url: `http://127.0.0.1:${port}/webhooks`, posts, received }
}
