import { generateKeyPairSync } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { cleanCheckout, publishedPackages, version } from './checkout.ts'
import { environmentOf, freshProject, type Row, runMatrix } from './matrix.ts'
import { publish, rehearse } from './registry.ts'
import { startService } from './service.ts'
import { pack, type Tarball } from './tarballs.ts'

// `pnpm release`: builds, checks and publishes the packages of the commit at HEAD. With `--dry-run` it also writes the
// versions that the changesets ask for, and publishes to a registry of its own.
const isDry = process.argv.includes('--dry-run')
if (isDry) {
  // What the forge gives to its workflow. A release without them is refused.
  process.env['GITHUB_SERVER_URL'] ??= 'https://forge.example'
  process.env['GITHUB_REPOSITORY'] ??= 'merchant-payments/merchant-payments'
}
const root = fileURLToPath(new URL('../../..', import.meta.url))
const work = await mkdtemp(join(tmpdir(), 'release-'))

const say = (text: string): void => console.log(text)

async function release(): Promise<void> {
  say('clean checkout of HEAD')
  const checkout = await cleanCheckout(root, join(work, 'checkout'))
  if (checkout.isWaiting && !isDry) {
    throw new Error(
      'changesets wait: run `npx pnpm@12 changeset version`, commit the result, and release that commit',
    )
  }
  if (checkout.isWaiting) await version(checkout)

  const tarballs: Tarball[] = []
  for (const one of await publishedPackages(checkout)) {
    const tarball = await pack(checkout, one, join(work, 'tarballs'))
    tarballs.push(tarball)
    say(`\n${tarball.name}@${tarball.version}`)
    for (const file of tarball.files) say(`  ${file}`)
  }

  const service = await startService()
  try {
    const { privateKey } = generateKeyPairSync('rsa', {
      modulusLength: 2048,
      publicKeyEncoding: { type: 'spki', format: 'pem' },
      privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    })
    const env = environmentOf(service, privateKey)
    say('\ninstalled into a fresh project')
    const project = await freshProject(join(work, 'consumer'), tarballs, env)
    const rows = await runMatrix(project, (what) => console.error(`  ${what}`))
    say(tableOf(rows))
    const faulty = rows.filter(({ fault }) => fault !== null)
    if (faulty.length > 0) {
      throw new Error(faulty.map(({ what, fault }) => `${what}: ${fault ?? ''}`).join('\n\n'))
    }
    say('\npublished to a registry of its own, and installed from there')
    await rehearse(checkout, tarballs, join(work, 'registry'), env)
  } finally {
    service.close()
  }

  if (isDry) {
    say('\nThe dry run published nothing.')
  } else {
    await publish(checkout, { PNPM_CONFIG_PROVENANCE: 'true', NPM_CONFIG_PROVENANCE: 'true' })
    say('\nPublished.')
  }
}

function tableOf(rows: readonly Row[]): string {
  const width = Math.max(...rows.map(({ what }) => what.length))
  const lines = rows.map(({ what, fault, detail, durationMs }) => {
    const seconds = (durationMs / 1000).toFixed(1).padStart(6)
    return `  ${what.padEnd(width)}  ${fault === null ? 'works' : 'FAILS'}  ${seconds} s  ${detail}`.trimEnd()
  })
  return ['', ...lines].join('\n')
}

try {
  await release()
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
} finally {
  await rm(work, { recursive: true, force: true })
}
