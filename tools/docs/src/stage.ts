import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { documents } from '@merchant-payments/contract/openapi'
import { type ApiPage, apiPages, type OpenApi } from './api-pages.ts'
import { homePages } from './home.ts'
import { linked } from './links.ts'
import { type Page, pages } from './pages.ts'

const root = fileURLToPath(new URL('../../../', import.meta.url))

/** Documents for tools, which no page links to by its file. */
const downloads = [
  'packages/contract/openapi/v1.json',
  'packages/contract/openapi/browser.json',
  'packages/contract/openapi/v1.postman_collection.json',
]

/** A folder of pictures, to which pages link. */
const PICTURES = 'docs/screenshots'

function picturesPage(files: readonly string[]): ApiPage {
  const pictures = files.map((file) => {
    const name = basename(file, '.webp').replaceAll('-', ' ')
    return `${name}\n\n![${name}](/files/${file})`
  })
  return { path: 'pictures', title: 'Pictures', text: ['# Pictures', ...pictures].join('\n\n') }
}

/** Half a page each, so the folder lists them. */
function decisionPages(): readonly Page[] {
  return readdirSync(join(root, 'docs/decisions'))
    .filter((name) => /^\d{4}-.*\.md$/.test(name))
    .toSorted()
    .map((name) => ({
      source: `docs/decisions/${name}`,
      path: `decisions/${name.replace(/\.md$/, '')}`,
      title: titleOf(textOf(`docs/decisions/${name}`)),
      kind: 'explanation',
      reader: 'contributors',
    }))
}

const textOf = (source: string): string => readFileSync(join(root, source), 'utf8')

const titleOf = (text: string): string => /^# (.*)$/m.exec(text)?.[1]?.replaceAll('`', '') ?? ''

/** The files of the site: every page of the repository, and those that are made. */
export const allPages = (): readonly Page[] => [...pages, ...decisionPages()]

export const madePages = (): readonly ApiPage[] => apiPages(JSON.parse(documents.v1) as OpenApi)

/**
 * Writes the generator's input into a folder: the pages with links to each other, and the files to which they link.
 *
 * @throws with each link that leads nowhere
 */
export function stage(folder: string): void {
  rmSync(folder, { recursive: true, force: true })
  const write = (path: string, text: string) => {
    const file = join(folder, path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text)
  }
  const all = allPages()
  const pathOf = new Map([...all.map(({ source, path }) => [source, path] as const), [PICTURES, 'pictures']])
  const targets = { root, textOf, pathOf }
  const pictures = readdirSync(join(root, PICTURES)).map((name) => `${PICTURES}/${name}`)
  const files = new Set([...downloads, ...pictures])
  const faults: string[] = []
  for (const { source, path } of all) {
    const page = linked(source, targets)
    faults.push(...page.faults)
    for (const file of page.files) files.add(file)
    write(`${path}.md`, page.text)
  }
  if (faults.length > 0) throw new Error(faults.join('\n'))
  for (const { path, text } of [...madePages(), picturesPage(pictures)]) write(`${path}.md`, text)
  for (const [path, text] of Object.entries(homePages)) write(path, text)
  for (const file of files) cpSync(join(root, file), join(folder, 'public/files', file))
}
