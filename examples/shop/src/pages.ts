import { readFile } from 'node:fs/promises'
import { type Lang, texts } from './texts.ts'

const names = ['index', 'order', 'paid-order', 'pay'] as const
type Name = (typeof names)[number]

/** Fills in a page of the folder `pages` in a language. Values are inserted as text, never as markup. */
export type RenderPage = (name: Name, lang: Lang, values?: Readonly<Record<string, string>>) => string

export async function loadPages(): Promise<RenderPage> {
  const load = async (name: Name) =>
    [name, await readFile(new URL(`../pages/${name}.html`, import.meta.url), 'utf8')] as const
  const pages = new Map(await Promise.all(names.map(load)))
  return (name, lang, given = {}) => {
    const values: Readonly<Record<string, string>> = { lang, ...texts[lang], ...given }
    return (pages.get(name) ?? '').replaceAll(/\{\{(\w+)\}\}/g, (_, key: string) =>
      escapeHtml(values[key] ?? ''),
    )
  }
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

const escapeHtml = (text: string): string => text.replaceAll(/[&<>"']/g, (each) => entities[each] ?? each)
