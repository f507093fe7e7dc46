import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { execaNode } from 'execa'
import { repositoryDir } from './places.ts'

/** The folder of an app's built page. Rebuilds it if a source has changed. */
export async function ensureBuiltPage(app: string): Promise<string> {
  const packageDir = join(repositoryDir, 'apps', app)
  const dist = join(packageDir, 'dist')
  const builtMs = await changedMs(join(dist, 'index.html'))
  if ((await newestSourceMs(packageDir)) > builtMs) {
    const vite = join(packageDir, 'node_modules/vite/bin/vite.js')
    await execaNode(vite, ['build', '--logLevel', 'error'], {
      cwd: packageDir,
      env: { NODE_ENV: 'production' },
    })
  }
  return dist
}

async function newestSourceMs(packageDir: string): Promise<number> {
  const folders = await Promise.all(
    ['src', 'build'].map(async (folder) => {
      const names = await readdir(join(packageDir, folder), { recursive: true })
      return names.map((name) => join(folder, name))
    }),
  )
  const files = ['index.html', 'vite.config.ts', ...folders.flat()]
  return Math.max(...(await Promise.all(files.map((name) => changedMs(join(packageDir, name))))))
}

const changedMs = (path: string): Promise<number> =>
  stat(path).then(
    ({ mtimeMs }) => mtimeMs,
    () => 0,
  )
