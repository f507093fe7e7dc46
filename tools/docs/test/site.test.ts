import { execFile } from 'node:child_process'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, test } from 'vitest'
import { linked } from '../src/links.ts'
import { anchorsOf, outsideCode, slugOf } from '../src/markdown.ts'
import { allPages, madePages } from '../src/stage.ts'

const run = promisify(execFile)
const root = fileURLToPath(new URL('../../../', import.meta.url))
const site = join(root, 'dist/docs')

/** A build bundles the pages with Vite, on a machine that is busy with other tests. */
const BUILD_TIMEOUT_MS = 240_000

beforeAll(async () => {
  await run(process.execPath, [join(root, 'tools/docs/src/build.ts')])
}, BUILD_TIMEOUT_MS)

describe('the site', () => {
  test('has each document of the repository, and no file has two addresses', async () => {
    const { stdout } = await run('git', ['ls-files', '*.md'], { cwd: root })
    const documents = stdout
      .trim()
      .split('\n')
      .filter((file) => !/^\.changeset\/|CHANGELOG\.md$/.test(file))
    const sources = allPages().map(({ source }) => source)
    expect(sources.toSorted()).toEqual(expect.arrayContaining(documents))
    expect(new Set(allPages().map(({ path }) => path)).size).toBe(sources.length)
  })

  test('no document has the marks of a merge conflict', async () => {
    const marked = await Promise.all(
      allPages().map(async ({ source }) =>
        /^(?:<{7}|={7}|>{7})(?: |$)/m.test(await readFile(join(root, source), 'utf8')) ? [source] : [],
      ),
    )
    expect(marked.flat()).toEqual([])
  })

  test('has a page for each of them, with its heading', async () => {
    for (const { path, source } of allPages()) {
      const [, heading = ''] = /^# (.*)$/m.exec(await readFile(join(root, source), 'utf8')) ?? []
      const html = await readFile(join(site, `${path}.html`), 'utf8')
      expect({ source, has: html.includes(`id="${slugOf(heading)}"`) }).toEqual({ source, has: true })
    }
  })

  test('any web server finds the file of every address within it, and the heading', async () => {
    const names = await readdir(site, { recursive: true })
    const files = new Set(names)
    const ids = new Map<string, ReadonlySet<string>>()
    const pages = names.filter((name) => name.endsWith('.html') && name !== '404.html')
    const texts = new Map(
      await Promise.all(pages.map(async (page) => [page, await readFile(join(site, page), 'utf8')] as const)),
    )
    for (const [page, html] of texts) {
      ids.set(page, new Set([...html.matchAll(/ id="([^"]+)"/g)].map(([, id = '']) => id)))
    }
    const faults: string[] = []
    for (const [page, html] of texts) {
      for (const [, link = ''] of html.matchAll(/<a [^>]*href="([^"]*)"/g)) {
        if (/^[a-z]+:/.test(link)) continue
        const { pathname, hash } = new URL(link.replaceAll('&amp;', '&'), `http://site/${page}`)
        const path = decodeURIComponent(pathname.slice(1))
        // A plain server adds the index of a folder, and no ending.
        const target = path === '' || path.endsWith('/') ? `${path}index.html` : path
        const anchor = decodeURIComponent(hash.slice(1))
        if (!files.has(target)) faults.push(`${page}: ${link}`)
        else if (anchor !== '' && ids.get(target)?.has(anchor) !== true) faults.push(`${page}: ${link}`)
      }
    }
    expect(texts.size).toBeGreaterThan(60)
    expect(faults).toEqual([])
  })

  test('searches in its own files', async () => {
    const assets = await readdir(join(site, 'assets'), { recursive: true })
    expect(assets.filter((name) => /localSearchIndex(?:root|fr)\.\w*/.test(name))).toHaveLength(2)
  })

  test('loads nothing from another host', async () => {
    for (const { path } of allPages()) {
      const html = await readFile(join(site, `${path}.html`), 'utf8')
      const loaded = [
        ...html.matchAll(/<(?:script|img|iframe)[^>]* src="([^"]+)"|<link [^>]*href="([^"]+)"/g),
      ]
      expect(
        loaded.map(([, src, href]) => src ?? href ?? '').filter((url) => /^(?:https?:)?\/\//.test(url)),
      ).toEqual([])
    }
  })

  test('has each call of the API', async () => {
    const { paths } = JSON.parse(await readFile(join(root, 'packages/contract/openapi/v1.json'), 'utf8')) as {
      paths: Record<string, Record<string, unknown>>
    }
    const text = madePages()
      .map(({ text }) => text)
      .join('\n')
    for (const [path, methods] of Object.entries(paths)) {
      for (const method of Object.keys(methods)) expect(text).toContain(`\`${method.toUpperCase()} ${path}\``)
    }
  })
})

describe('a link that leads nowhere', () => {
  const faultsOf = (text: string) =>
    linked('README.md', { root, textOf: () => text, pathOf: new Map([['README.md', 'readme']]) }).faults

  test('is a fault, but not in code', () => {
    expect(faultsOf('[page](no-such.md) `[code](c.md)`\n\n```md\n[code](c.md)\n```\n')).toEqual([
      'README.md: no-such.md leads to no page and no file',
    ])
  })

  test('is a fault if the heading does not exist', () => {
    expect(faultsOf('# A\n\n[part](#a) [part](#b)')).toEqual(['README.md: #b leads to no heading'])
  })
})

test('each command of the repository that a document names exists', async () => {
  const { scripts } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as {
    scripts: Record<string, string>
  }
  /** Commands of pnpm, and of programs that the repository installs. */
  const others = new Set(['exec', 'install', 'vitest'])
  const faults: string[] = []
  for (const { source } of allPages()) {
    const text = await readFile(join(root, source), 'utf8')
    for (const [, run, name = ''] of text.matchAll(/npx (?:--yes )?pnpm@12 (?:-s )?(run )?([a-z][\w:-]*)/g)) {
      if (scripts[name] === undefined && !others.has(name)) faults.push(`${source}: ${name}`)
      // pnpm has commands of these names itself.
      if (run === undefined && ['docs', 'sbom'].includes(name)) faults.push(`${source}: run ${name}`)
    }
  }
  expect(faults).toEqual([])
})

test('the anchors are those of git hosts', () => {
  expect(slugOf('`merchant-payments config check`, and more')).toBe('merchant-payments-config-check-and-more')
  expect(slugOf('À retenir')).toBe('à-retenir')
  expect([...anchorsOf('# A\n## B\n## B\n```\n# C\n```\n')]).toEqual(['a', 'b', 'b-1'])
})

test('code stays as it is', () => {
  const text = 'x `x` ``x ` x`` x\n\n```sh\nx\n```\nx\n'
  expect(outsideCode(text, (part) => part.replaceAll('x', 'y'))).toBe(
    'y `x` ``x ` x`` y\n\n```sh\nx\n```\ny\n',
  )
})
