import { spawn } from 'node:child_process'
import { generateKeyPairSync } from 'node:crypto'
import { once } from 'node:events'
import { access, constants, glob, readdir, readFile } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { serverFlags } from '@merchant-payments/config'
import { cloneDatabase } from '@merchant-payments/testing'
import { freePort } from '@merchant-payments/testing/listen'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { lastStageOf, pairsOf, readContainerfile, root, valueOf } from './containerfile.ts'
import { messageOf, startUnit } from './start-unit.ts'

const bin = `${root}deploy/image/bin/`
/** The programs of the image, by the package of each. */
const served = ['@merchant-payments/api', '@merchant-payments/worker', '@merchant-payments/database-tools']

type Instructions = Awaited<ReturnType<typeof readContainerfile>>
let all: Instructions
let last: Instructions
beforeAll(async () => {
  all = await readContainerfile()
  last = lastStageOf(all)
})

describe('the Containerfile', () => {
  test('stands on the Node of the workspace by default', async () => {
    const version = (await readFile(`${root}.node-version`, 'utf8')).trim()
    expect(pairsOf(all, 'ARG')['BASE']).toBe(`node:${version}-bookworm-slim`)
  })

  test('stands on the Node that pnpm installs, and with which pnpm compares the engines of packages', async () => {
    const version = (await readFile(`${root}.node-version`, 'utf8')).trim()
    const workspace = await readFile(`${root}pnpm-workspace.yaml`, 'utf8')
    expect(workspace.split('\n')).toEqual(
      expect.arrayContaining([`nodeVersion: ${version}`, `  node: npm:node@${version}`]),
    )
  })

  test('copies the production packages of its programs, and no other', async () => {
    const copied = all.flatMap(({ text }) => [
      ...text.matchAll(/(?<= )(?:apps|packages|tools)\/[\w-]+(?= |$)/g),
    ])
    expect(copied.map(([folder]) => folder).toSorted()).toEqual((await productionFolders()).toSorted())
  })

  test('installs for its programs alone', () => {
    const filters = all.flatMap(({ text }) => [...text.matchAll(/--filter-prod (\S+)\.\.\./g)])
    expect(filters.map(([, name]) => name)).toEqual(served)
  })

  test('ends in an image with a numeric user, from nothing, with labels and without a registry’s name', () => {
    expect(valueOf(last, 'FROM')).toBe('scratch')
    expect(valueOf(last, 'USER')).toMatch(/^[1-9]\d+:[1-9]\d+$/)
    expect(last.filter(({ name }) => name === 'RUN')).toEqual([])
    const keys = ['title', 'description', 'licenses', 'version', 'revision', 'base.name']
    expect(Object.keys(pairsOf(last, 'LABEL'))).toEqual(keys.map((key) => `org.opencontainers.image.${key}`))
    expect(all.filter(({ text }) => /:\/\/(?!127\.0\.0\.1)|\b[\w-]+\.(?:io|com|org)\//.test(text))).toEqual(
      [],
    )
  })

  test('sets the options of Node with which the units, the tests and the benchmark run', () => {
    expect(pairsOf(last, 'ENV')['NODE_OPTIONS']).toBe(serverFlags.join(' '))
  })

  test('names programs that exist', async () => {
    const programs = await readdir(bin)
    const commands = [valueOf(last, 'CMD'), valueOf(last, 'HEALTHCHECK').replace(/^.* CMD /, '')]
    const named = commands.flatMap((json) => JSON.parse(json) as string[])
    expect(programs).toEqual(expect.arrayContaining(named))
    for (const program of programs) {
      await access(`${bin}${program}`, constants.X_OK)
      const [, main] = /^import '(.*)'$/m.exec(await readFile(`${bin}${program}`, 'utf8')) ?? []
      if (main !== undefined) await access(resolve(dirname(`${bin}${program}`), main))
    }
    expect(programs).toEqual(['api', 'archive', 'healthcheck', 'migrate', 'worker'])
  })

  test('has the commands that the documents name', async () => {
    const programs = await readdir(bin)
    const page = await readFile(`${root}docs/operations.md`, 'utf8')
    const decision = await readFile(`${root}docs/decisions/0023-one-image-of-sources.md`, 'utf8')
    for (const text of [page, decision]) {
      const [, named = ''] = /\bone image with four commands[:,] ([^.]*)\./i.exec(text) ?? []
      const commands = [...named.matchAll(/`(\w+)`/g)].map(([, command = '']) => command)
      expect(commands.toSorted()).toEqual(programs.filter((program) => program !== 'healthcheck'))
    }
  })
})

test('a build gets no file that .containerignore does not name', async () => {
  const [first] = (await readFile(`${root}.containerignore`, 'utf8'))
    .split('\n')
    .filter((line) => !/^(?:#|$)/.test(line))
  expect(first).toBe('*')
})

test('a build gets every file of the root that an install from the lockfile reads', async () => {
  const named = (await readFile(`${root}.containerignore`, 'utf8')).split('\n')
  const read = (await readdir(root)).filter((name) => /^(?:package\.json|\.?pnpm.*)$/.test(name))
  // The lockfile has a hash of it: an install without it is refused.
  expect(read).toContain('.pnpmfile.mjs')
  expect(read.filter((name) => !named.includes(`!${name}`))).toEqual([])
})

test('the health check tells a live api from one that ended', async () => {
  const { appUrl, drop } = await cloneDatabase()
  onTestFinished(drop)
  const port = await freePort()
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const secrets = {
    DATABASE_URL: appUrl,
    SIGNING_KEY: String(privateKey.export({ type: 'pkcs8', format: 'pem' })),
    CLIENT_SECRET_KEY_1: 'k'.repeat(32),
  }
  const api = await startUnit('merchant-payments-api.service', secrets, { internal_listen: { port } })
  await expect.poll(() => api.lines.map(messageOf)).toContain('ready')
  const { HEALTH_URL: url = '' } = pairsOf(last, 'ENV')
  const check = async () => {
    const env = { HEALTH_URL: url.replace(':9080', `:${port}`) }
    const [code] = (await once(spawn(process.execPath, [`${bin}healthcheck`], { env }), 'close')) as [number]
    return code
  }
  expect(url).toContain(':9080')
  expect(await check()).toBe(0)
  api.stop()
  await api.ended
  expect(await check()).toBe(1)
})

interface Manifest {
  readonly name: string
  readonly dependencies?: Readonly<Record<string, string>>
}

/** The folders of the programs and of all workspace packages that they need in production. */
async function productionFolders(): Promise<string[]> {
  const manifests = new Map<string, { folder: string; dependencies: string[] }>()
  for await (const path of glob('{apps,packages,tools}/*/package.json', { cwd: root })) {
    const { name, dependencies = {} } = JSON.parse(await readFile(`${root}${path}`, 'utf8')) as Manifest
    manifests.set(name, { folder: dirname(path), dependencies: Object.keys(dependencies) })
  }
  const needed = new Set(served)
  // A set's loop also visits what is added while it runs.
  for (const name of needed) {
    for (const other of manifests.get(name)?.dependencies ?? []) if (manifests.has(other)) needed.add(other)
  }
  return [...needed].map((name) => manifests.get(name)?.folder ?? name)
}
