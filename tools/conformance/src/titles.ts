import ts from 'typescript'

/** The functions that name a block in vitest. */
const blocks: ReadonlySet<string> = new Set(['describe', 'test', 'it'])

/** A title of a test or a describe, after those of the describes around it. */
export type TitlePath = readonly [...string[], string]

/**
 * The titles of the tests and describes of a file, as the code has them: a run prints them with the values of a table filled
 * in. A string that is no title, such as the row of a table, does not count, because a run is not chosen by it.
 */
export function titlesIn(file: string, code: string): readonly TitlePath[] {
  const titles: TitlePath[] = []
  const visit = (node: ts.Node, around: readonly string[]): void => {
    const title = titleOf(node)
    const path: TitlePath | readonly string[] = title === undefined ? around : [...around, title]
    if (title !== undefined) titles.push([...around, title])
    ts.forEachChild(node, (child) => visit(child, path))
  }
  visit(ts.createSourceFile(file, code, ts.ScriptTarget.Latest), [])
  return titles
}

function titleOf(node: ts.Node): string | undefined {
  if (!ts.isCallExpression(node) || !isBlock(node.expression)) return undefined
  return node.arguments[0] && textOf(node.arguments[0])
}

/** `test`, `test.skipIf(…)`, `describe.each(…)`: whatever leads back to one of them, except the table itself. */
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
