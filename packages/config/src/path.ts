/** The keys and indexes from the file's root to a setting. */
export type Path = readonly PropertyKey[]

/** Spells a path as the file does: `merchant_clients[0].webhooks[1].url`. */
export const spelled = (path: Path): string =>
  path
    .map((part) => (typeof part === 'number' ? `[${part}]` : `.${String(part)}`))
    .join('')
    .replace(/^\./, '') || 'the file'
