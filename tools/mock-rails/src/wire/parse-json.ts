/** Undefined where the text is no JSON: each rail has its own words for that. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
