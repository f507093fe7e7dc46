import type { Kind, Page } from './pages.ts'

export interface Entry {
  readonly text: string
  readonly link?: string
  readonly collapsed?: boolean
  readonly items?: readonly Entry[]
}

const titles: Readonly<Record<Kind, { readonly en: string; readonly fr: string }>> = {
  tutorial: { en: 'Tutorials', fr: 'Apprendre' },
  'how-to': { en: 'How-to', fr: 'Faire' },
  reference: { en: 'Reference', fr: 'Consulter' },
  explanation: { en: 'Explanation', fr: 'Comprendre' },
}

const kinds: readonly Kind[] = ['tutorial', 'how-to', 'reference', 'explanation']

interface Place {
  readonly kind: Kind
  readonly reader: Page['reader']
  readonly entry: Entry
}

/** The pages of one language by kind, and in a kind by reader. */
export function sidebarOf(
  all: readonly Page[],
  api: readonly { readonly path: string; readonly title: string }[],
  language: 'en' | 'fr',
  slugOf: (heading: string) => string,
): readonly Entry[] {
  const places = all
    .filter((page) => (page.language ?? 'en') === language)
    .flatMap(({ title, path, kind, reader, parts = [] }): Place[] => [
      { kind, reader, entry: { text: title, link: `/${path}` } },
      ...parts.map((part) => ({
        kind: part.kind,
        reader,
        entry: { text: part.title, link: `/${path}#${slugOf(part.heading)}` },
      })),
    ])
  return kinds.flatMap((kind) => {
    const items = (['merchants', 'operators', 'contributors'] as const).flatMap((reader): Entry[] => {
      const own = places.filter((place) => place.kind === kind && place.reader === reader)
      const entries = own.map(({ entry }) => entry)
      if (reader === 'merchants') return entries
      return entries.length === 0 ? [] : [{ text: groups[reader], collapsed: true, items: entries }]
    })
    const calls: Entry = {
      text: 'Calls of the API',
      collapsed: true,
      items: api.map(({ title, path }) => ({ text: title, link: `/${path}` })),
    }
    const all = kind === 'reference' && language === 'en' ? [calls, ...items] : items
    return all.length === 0 ? [] : [{ text: titles[kind][language], items: all }]
  })
}

const groups = { operators: 'For operators', contributors: 'For contributors' } as const
