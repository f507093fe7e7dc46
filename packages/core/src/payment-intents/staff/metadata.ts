export interface MetadataFilter {
  /** Null for any key. */
  readonly key: string | null
  readonly value: string
}

/** `order=A-1042` is a pair; any other text is a value. */
export function parseMetadataFilter(text: string): MetadataFilter {
  const [, key, value] = /^([\w.-]{1,40})=(.+)$/.exec(text) ?? []
  return key === undefined || value === undefined ? { key: null, value: text } : { key, value }
}
