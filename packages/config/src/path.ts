/** The way from the file's root to one of its settings. */
export type Path = readonly PropertyKey[]

/** In the spelling of the file: `merchant_clients[0].webhooks[1].url`. */
export const spelled = (path: Path): string =>
  path
    .map((part) => (typeof part === 'number' ? `[${part}]` : `.${String(part)}`))
    .join('')
    .replace(/^\./, '') || 'the file'
