import { readdir, readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { ConfigError } from '@merchant-payments/config'

/** The built checkout page: a folder, and what its build says must be sent with the document. */
export interface CheckoutPage {
  readonly folder: string
  readonly headers: Readonly<Record<string, string>>
  /** The names of its scripts. */
  readonly scripts: readonly string[]
}

/** Reads what `checkout_page_dir` names, so that a deployment without its build does not start. */
export async function openCheckoutPage(directory: string): Promise<CheckoutPage> {
  const folder = resolve(directory)
  try {
    const headers = JSON.parse(await readFile(join(folder, 'headers.json'), 'utf8'))
    const files = await readdir(join(folder, 'assets'))
    return { folder, headers, scripts: files.filter((name) => name.endsWith('.js')) }
  } catch {
    throw new ConfigError([
      { path: 'checkout_page_dir', message: 'is not a folder with the built checkout page' },
    ])
  }
}
