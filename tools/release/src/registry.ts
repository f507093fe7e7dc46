import { spawn } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { freePort } from '@merchant-payments/ports'
import type { Checkout } from './checkout.ts'
import { installTools } from './install-tools.ts'
import { EXPECTED, programs } from './programs.ts'
import { pnpm, run } from './run.ts'
import type { Tarball } from './tarballs.ts'

const VERDACCIO = '6.10.4'
const START_TRIES = 150
const START_PAUSE_MS = 200

/** Only our own packages, from nobody else. */
const configOf = (storage: string): string => `storage: ${storage}
auth:
  htpasswd:
    file: ${storage}/htpasswd
packages:
  '@merchant-payments/*':
    access: $all
    publish: $authenticated
log: { type: stdout, format: pretty, level: warn }
`

interface Registry {
  readonly url: string
  /** The registry and a token for it, as npm's user configuration. */
  readonly userConfig: string
  readonly stop: () => void
}

/** Verdaccio asks for node-fetch by a tag, which a mirror of the registry may not have. */
const overrides = { 'node-fetch': '2.7.0' }

async function startRegistry(folder: string): Promise<Registry> {
  await installTools(folder, { manifest: { dependencies: { verdaccio: VERDACCIO } }, overrides })
  const config = join(folder, 'config.yaml')
  await writeFile(config, configOf(join(folder, 'storage')))
  const port = await freePort()
  const listen = `127.0.0.1:${port}`
  const server = spawn(
    join(folder, 'node_modules/.bin/verdaccio'),
    ['--config', config, '--listen', listen],
    {
      cwd: folder,
      stdio: 'ignore',
    },
  )
  const url = `http://${listen}/`
  const token = await signUp(url)
  const userConfig = join(folder, 'npmrc')
  await writeFile(userConfig, `@merchant-payments:registry=${url}\n//${listen}/:_authToken=${token}\n`)
  return { url, userConfig, stop: () => void server.kill() }
}

async function signUp(url: string): Promise<string> {
  const user = { name: 'release', password: 'only-for-this-run-0', type: 'user' }
  for (let attempt = 1; ; attempt += 1) {
    try {
      const response = await fetch(`${url}-/user/org.couchdb.user:release`, {
        method: 'PUT',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(user),
      })
      return ((await response.json()) as { token: string }).token
    } catch (error) {
      if (attempt === START_TRIES) throw error
      await new Promise((resolve) => setTimeout(resolve, START_PAUSE_MS))
    }
  }
}

/** Publishes as a release does, to a registry of its own, installs from there, and runs what was installed. */
export async function rehearse(
  checkout: Checkout,
  tarballs: readonly Tarball[],
  folder: string,
  env: Readonly<Record<string, string>>,
): Promise<void> {
  const registry = await startRegistry(folder)
  try {
    await publish(checkout, {
      NPM_CONFIG_USERCONFIG: registry.userConfig,
      npm_config_userconfig: registry.userConfig,
    })
    const consumer = join(folder, 'consumer')
    await mkdir(consumer, { recursive: true })
    await writeFile(join(consumer, 'package.json'), '{ "private": true }')
    await writeFile(join(consumer, 'smoke.mjs'), programs['smoke.mjs'] ?? '')
    const names = tarballs.map(({ name, version }) => `${name}@${version}`)
    const flags = ['--no-audit', '--no-fund', '--loglevel=error', `--userconfig=${registry.userConfig}`]
    await run('npm', ['install', ...flags, ...names], { cwd: consumer })
    const printed = (await run(process.execPath, ['smoke.mjs'], { cwd: consumer, env })).trim()
    if (printed !== EXPECTED) throw new Error(`the installed packages printed ${printed}`)
  } finally {
    registry.stop()
  }
}

/**
 * changesets publishes each version that the registry does not have, with pnpm. No script builds the packages again, so
 * that the registry gets the files that were packed and checked.
 */
export const publish = async ({ folder }: Checkout, env: Readonly<Record<string, string>>): Promise<void> => {
  const settings = { ...env, PNPM_CONFIG_IGNORE_SCRIPTS: 'true' }
  await pnpm(['exec', 'changeset', 'publish', '--no-git-tag'], { cwd: folder, env: settings })
}
