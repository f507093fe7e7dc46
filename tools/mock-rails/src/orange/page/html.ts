export type Html = { readonly html: string }

type Part = string | Html | readonly Html[]

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** Builds markup. Inserted text is escaped for elements and quoted attributes. */
export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Html {
  return { html: String.raw({ raw: strings }, ...parts.map(write)) }
}

function write(part: Part): string {
  if (typeof part === 'string') return part.replace(/[&<>"']/g, (char) => ENTITIES[char] ?? '')
  return 'html' in part ? part.html : part.map(write).join('')
}
