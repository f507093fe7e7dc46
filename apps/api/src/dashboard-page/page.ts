import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ConfigError } from '@merchant-payments/config'
import { type BuiltPage, openBuiltPage } from '../http/built-page.ts'

/** The built dashboard and the paths that serve its document. */
export interface DashboardPage extends BuiltPage {
  readonly paths: readonly string[]
}

const key = { path: 'staff.dashboard_dir', page: 'dashboard' }

export async function openDashboardPage(directory: string): Promise<DashboardPage> {
  const page = await openBuiltPage(directory, key)
  try {
    return { ...page, paths: JSON.parse(await readFile(join(page.folder, 'paths.json'), 'utf8')) }
  } catch {
    throw new ConfigError([{ path: key.path, message: `is not a folder with the built ${key.page}` }])
  }
}
