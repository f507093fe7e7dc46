import { execFile } from 'node:child_process'
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { repositoryDir } from './places.ts'

const packageDir = join(repositoryDir, 'apps/checkout-web')

/** The folder of the built checkout page, made anew where a source of it has changed. */
export async function ensureCheckoutPage(): Promise<string> {
  const dist = join(packageDir, 'dist')
  const builtMs = await changedMs(join(dist, 'index.html'))
  if ((await newestSourceMs()) > builtMs) {
    const vite = join(packageDir, 'node_modules/vite/bin/vite.js')
    await promisify(execFile)(process.execPath, [vite, 'build', '--logLevel', 'error'], {
      cwd: packageDir,
      env: { ...process.env, NODE_ENV: 'production' },
    })
  }
  return dist
}

async function newestSourceMs(): Promise<number> {
  const sources = await readdir(join(packageDir, 'src'), { recursive: true })
  const files = [
    'index.html',
    'vite.config.ts',
    'build/checkout-shell.ts',
    ...sources.map((name) => join('src', name)),
  ]
  return Math.max(...(await Promise.all(files.map((name) => changedMs(join(packageDir, name))))))
}

/** 0 for what is not there. */
const changedMs = (path: string): Promise<number> =>
  stat(path).then(
    ({ mtimeMs }) => mtimeMs,
    () => 0,
  )
