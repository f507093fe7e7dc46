import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { type AddressInfo, connect, createServer } from 'node:net'
import { join } from 'node:path'

interface Holder {
  readonly pid: number
  readonly port: number
  readonly token: string
}

const ANSWER_TIMEOUT_MS = 2_000
const TRIES_MAX = 3

/**
 * Locks the folder until the returned function is called or the process ends in any way. A process id alone
 * would not identify the holder: after a crash or in a container, another process soon has the same id.
 *
 * @throws if another process holds the lock
 */
export async function lockFolder(folder: string): Promise<() => void> {
  await mkdir(folder, { recursive: true })
  const path = join(folder, 'dev.lock')
  const token = randomUUID()
  const server = createServer((socket) => socket.on('error', () => undefined).end(token))
  server.listen(0, '127.0.0.1').unref()
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const release = () => {
    rmSync(path, { force: true })
    server.close()
  }

  for (let tries = 1; ; tries += 1) {
    if (await create(path, { pid: process.pid, port, token })) return release
    const holder = await readHolder(path)
    if (holder !== null && (await answersWith(holder.port)) === holder.token) {
      server.close()
      throw new Error(`process ${holder.pid} already runs the system on ${folder}: stop it first (Ctrl-C)`)
    }
    if (tries === TRIES_MAX) throw new Error(`could not lock ${path}: another process keeps replacing it`)
    rmSync(path, { force: true })
  }
}

async function create(path: string, holder: Holder): Promise<boolean> {
  try {
    await writeFile(path, JSON.stringify(holder), { flag: 'wx' })
    return true
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false
    throw error
  }
}

async function readHolder(path: string): Promise<Holder | null> {
  try {
    return JSON.parse(await readFile(path, 'utf8')) as Holder
  } catch {
    return null
  }
}

async function answersWith(port: number): Promise<string | null> {
  const socket = connect(port, '127.0.0.1').setEncoding('utf8').setTimeout(ANSWER_TIMEOUT_MS)
  socket.once('timeout', () => socket.destroy(new Error('no answer')))
  try {
    const [answer] = (await once(socket, 'data')) as [string]
    return answer
  } catch {
    return null
  } finally {
    socket.destroy()
  }
}
