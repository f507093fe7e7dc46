import { readdir, readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import ts from 'typescript'

/**
 * The public API of a built file of declarations: each exported name, and each declaration that it reaches, without
 * comments and sorted. Two versions with the same text have the same types.
 */
export function apiReportOf(file: string): string {
  const program = ts.createProgram([file], {
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    target: ts.ScriptTarget.ES2024,
    strict: true,
    types: [],
  })
  const checker = program.getTypeChecker()
  const source = program.getSourceFile(file)
  const module = source && checker.getSymbolAtLocation(source)
  if (module === undefined) throw new Error(`${file} exports nothing`)
  const exported = checker.getExportsOfModule(module)
  const found = reachedFrom(exported, checker, dirname(file))
  const names = exported.map(({ name }) => `export ${name}`).sort()
  return `${names.join('\n')}\n\n${[...found].sort().join('\n\n')}\n`
}

/** The texts of all declarations in `folder` that the symbols reach. */
function reachedFrom(symbols: readonly ts.Symbol[], checker: ts.TypeChecker, folder: string): Set<string> {
  const printer = ts.createPrinter({ removeComments: true })
  const seen = new Set<ts.Node>()
  const texts = new Set<string>()
  const follow = (symbol: ts.Symbol | undefined): void => {
    if (symbol === undefined) return
    const target = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol
    for (const declaration of target.declarations ?? []) {
      const statement = statementOf(declaration)
      const file = declaration.getSourceFile()
      if (statement === undefined || seen.has(statement) || !file.fileName.startsWith(folder)) continue
      seen.add(statement)
      texts.add(
        printer.printNode(ts.EmitHint.Unspecified, statement, file).replace(/^(?:export )?(?:declare )?/, ''),
      )
      visit(statement)
    }
  }
  const visit = (node: ts.Node): void => {
    if (ts.isIdentifier(node)) follow(checker.getSymbolAtLocation(node))
    ts.forEachChild(node, visit)
  }
  for (const symbol of symbols) follow(symbol)
  return texts
}

/** The statement of a module that makes a declaration; undefined for members and parameters. */
function statementOf(declaration: ts.Node): ts.Statement | undefined {
  const node = ts.isVariableDeclaration(declaration) ? declaration.parent.parent : declaration
  return ts.isStatement(node) && ts.isSourceFile(node.parent) ? node : undefined
}

const LINE_OF_DECLARATION = /^(?:interface|type|class|function|const|let|var|enum|namespace) (\w+)/

/**
 * The names whose declaration lost a line between two reports. Added lines break nothing that compiles today, except
 * for a new required member of a parameter, which a review must notice.
 */
export function brokenNames(before: string, after: string): string[] {
  const kept = new Map(declarationsOf(after))
  return declarationsOf(before).flatMap(([name, lines]) => {
    const now = new Set(kept.get(name))
    return lines.every((line) => now.has(line)) ? [] : [name.replace(/^export /, '')]
  })
}

function declarationsOf(report: string): [string, string[]][] {
  const [names = '', ...texts] = report.trimEnd().split('\n\n')
  return [
    ...names.split('\n').map((line): [string, string[]] => [line, [line]]),
    ...texts.map((text): [string, string[]] => [
      LINE_OF_DECLARATION.exec(text)?.[1] ?? text,
      text.split('\n'),
    ]),
  ]
}

/**
 * The names of an entry that a release would break and that no waiting changeset names. `api/released` has the reports
 * of the last release; before the first release nothing can break.
 */
export async function unnamedBreaks(root: string, entry: string, report: string): Promise<string[]> {
  const released = await readFile(join(root, 'api/released', `${entry}.txt`), 'utf8').catch(() => null)
  if (released === null) return []
  const { name } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as { name: string }
  const majors = (await changesetsOf(join(root, '../../.changeset'))).filter((text) => isMajor(text, name))
  return brokenNames(released, report).filter((broken) => !majors.some((text) => text.includes(broken)))
}

async function changesetsOf(folder: string): Promise<string[]> {
  const files = (await readdir(folder)).filter((file) => file.endsWith('.md'))
  return Promise.all(files.map((file) => readFile(join(folder, file), 'utf8')))
}

const isMajor = (changeset: string, name: string): boolean =>
  changeset.split('\n').some((line) => line.replaceAll(/["']/g, '') === `${name}: major`)
