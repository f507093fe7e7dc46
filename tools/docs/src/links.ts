import { existsSync, statSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { anchorsOf, outsideCode } from './markdown.ts'

/** What the links of the repository lead to. */
export interface Targets {
  /** The folder of the repository. */
  readonly root: string
  /** The address of each page on the site, by the file. */
  readonly pathOf: ReadonlyMap<string, string>
  readonly textOf: (source: string) => string
}

export interface Linked {
  readonly text: string
  /** Files that the page links to and that are no pages. The site serves them. */
  readonly files: readonly string[]
  /** Links that lead nowhere, in words. */
  readonly faults: readonly string[]
}

const linkShape = /(\]\()([^)\s]+)(\))/g

/** Leads the links of a file of the repository to the pages of the site. */
export function linked(source: string, { root, pathOf, textOf }: Targets): Linked {
  const files: string[] = []
  const faults: string[] = []
  const lead = (link: string): string => {
    if (/^[a-z]+:/.test(link)) return link
    const [path = '', anchor] = link.split('#')
    const target = path === '' ? source : fileOf(root, join(dirname(source), path))
    const page = target === null ? undefined : pathOf.get(target)
    if (target === null || (page === undefined && !statSync(join(root, target)).isFile())) {
      faults.push(`${source}: ${link} leads to no page and no file`)
      return link
    }
    if (page === undefined) {
      files.push(target)
      return `/files/${target}`
    }
    if (anchor === undefined) return `/${page}`
    if (!anchorsOf(textOf(target)).has(anchor)) faults.push(`${source}: ${link} leads to no heading`)
    return path === '' ? `#${anchor}` : `/${page}#${anchor}`
  }
  const text = outsideCode(textOf(source), (part) =>
    part.replaceAll(
      linkShape,
      (_whole, before: string, link: string, after: string) => before + lead(link) + after,
    ),
  )
  return { text, files, faults }
}

/** The file to which a path leads. A folder leads to its README. Null if there is none. */
function fileOf(root: string, path: string): string | null {
  const file = normalize(path).replace(/\/$/, '')
  if (!existsSync(join(root, file))) return null
  const readme = join(file, 'README.md')
  return existsSync(join(root, readme)) ? readme : file
}
