/** Returns undefined for invalid JSON, because each rail has its own error for it. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
