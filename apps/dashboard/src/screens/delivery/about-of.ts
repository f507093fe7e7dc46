interface Body {
  readonly data?: { readonly object?: { readonly id?: unknown } }
}

/** The id of the object in an event's body. Null if it is erased or has none. */
export function aboutOf(text: string): string | null {
  const id = (JSON.parse(text) as Body).data?.object?.id
  return typeof id === 'string' ? id : null
}
