import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { access, constants } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { chromium } from '@playwright/test'
import type { Machine } from './find-browser.ts'

const ownPrograms = fileURLToPath(new URL('../../node_modules/.bin', import.meta.url))
const path = [...(process.env['PATH'] ?? '').split(delimiter), ownPrograms]

export const thisMachine: Machine = {
  named: process.env['CHROMIUM_PATH'] || undefined,
  find: async (program) => {
    for (const folder of path) {
      if (await isExecutable(join(folder, program))) return join(folder, program)
    }
    return null
  },
  isRoot: process.getuid?.() === 0,
  run: async (command, args) => {
    const env = { ...process.env, PATH: path.join(delimiter), DEBIAN_FRONTEND: 'noninteractive' }
    const child = spawn(command, args, { env, stdio: ['ignore', 'ignore', 'inherit'] })
    const [code] = await once(child, 'close').catch(() => [1])
    return code === 0
  },
  findDownloaded: async () =>
    (await isExecutable(chromium.executablePath())) ? chromium.executablePath() : null,
}

const isExecutable = (file: string): Promise<boolean> =>
  access(file, constants.X_OK).then(
    () => true,
    () => false,
  )
