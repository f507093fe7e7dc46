/** Text outside of code, and code, which stays as it is. */
const codeShape = /^(`{3,}|~{3,})[^\n]*\n[\s\S]*?^\1[ \t]*$|(`+)(?!`)[\s\S]*?[^`]\2(?!`)/gm

/** Changes the text of a page outside of its code. */
export function outsideCode(markdown: string, change: (text: string) => string): string {
  let result = ''
  let from = 0
  for (const match of markdown.matchAll(codeShape)) {
    result += change(markdown.slice(from, match.index)) + match[0]
    from = match.index + match[0].length
  }
  return result + change(markdown.slice(from))
}

/** The anchor of a heading, as git hosts make it: links in the repository are written for them. */
export const slugOf = (heading: string): string =>
  heading
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(/\s/g, '-')

/** The anchors of a page. A heading that comes again gets a number. */
export function anchorsOf(markdown: string): ReadonlySet<string> {
  const counts = new Map<string, number>()
  const anchors = new Set<string>()
  const withoutCode = markdown.replaceAll(/^(`{3,}|~{3,})[^\n]*\n[\s\S]*?^\1[ \t]*$/gm, '')
  for (const [, heading = ''] of withoutCode.matchAll(/^#{1,6} (.*)$/gm)) {
    const slug = slugOf(heading)
    const before = counts.get(slug) ?? 0
    counts.set(slug, before + 1)
    anchors.add(before === 0 ? slug : `${slug}-${before}`)
  }
  return anchors
}
