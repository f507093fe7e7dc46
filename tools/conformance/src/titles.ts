import ts from 'typescript'

/** What vitest names its blocks by. */
const blocks: ReadonlySet<string> = new Set(['describe', 'test', 'it'])

/**
 * The titles of the tests and describes of a file: text that a run prints, but for what a table fills in. A string that
 * is no title, such as the row of a table, does not count: a run is not chosen by it.
 */
export function titlesIn(code: string): readonly string[] {
  const titles: string[] = []
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node) && isBlock(node.expression)) {
      const title = node.arguments[0] && textOf(node.arguments[0])
      if (title !== undefined) titles.push(title)
    }
    ts.forEachChild(node, visit)
  }
  visit(ts.createSourceFile('test.ts', code, ts.ScriptTarget.Latest))
  return titles
}

/** `test`, `test.skipIf(…)`, `describe.each(…)`: whatever leads back to one of them, but for the table itself. */
function isBlock(callee: ts.Expression): boolean {
  if (ts.isIdentifier(callee)) return blocks.has(callee.text)
  if (ts.isPropertyAccessExpression(callee)) return !takesTable(callee) && isBlock(callee.expression)
  if (ts.isCallExpression(callee) && ts.isPropertyAccessExpression(callee.expression)) {
    return isBlock(callee.expression.expression)
  }
  return false
}

/** The first call of `test.each(table)(title, run)` has no title. */
const takesTable = ({ name }: ts.PropertyAccessExpression): boolean =>
  ['each', 'for', 'skipIf', 'runIf', 'extend'].includes(name.text)

/** Text, or a template with `%s` for each value that it takes from the code around it. */
function textOf(title: ts.Expression): string | undefined {
  if (ts.isStringLiteralLike(title)) return title.text
  if (!ts.isTemplateExpression(title)) return undefined
  return title.templateSpans.reduce((text, { literal }) => `${text}%s${literal.text}`, title.head.text)
}
