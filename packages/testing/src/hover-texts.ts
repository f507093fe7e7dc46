import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'

/** What an editor shows on hover of the names that a package declares. */
export interface HoverTexts {
  /** How many names have a description. */
  readonly described: number
  /** The names without one, such as `Verifier.verify` or `createVerifier(options).secrets`. */
  readonly undescribed: readonly string[]
}

/**
 * Reads a built file of declarations as an editor does. It follows each export to its members, to the parameters and
 * the result of each function, and on to their members, as far as the package itself declares them.
 */
export function hoverTextsOf(file: string): HoverTexts {
  const program = ts.createProgram([file], {
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    target: ts.ScriptTarget.ES2024,
    strict: true,
    types: ['node'],
    typeRoots: [fileURLToPath(new URL('../../../node_modules/@types', import.meta.url))],
  })
  const checker = program.getTypeChecker()
  const source = program.getSourceFile(file)
  const module = source && checker.getSymbolAtLocation(source)
  if (module === undefined) throw new Error(`${file} exports nothing`)
  return new Reader(checker, dirname(file)).read(module)
}

class Reader {
  readonly #checker: ts.TypeChecker
  readonly #folder: string
  readonly #seen = new Set<ts.Type>()
  readonly #undescribed: string[] = []
  #described = 0

  constructor(checker: ts.TypeChecker, folder: string) {
    this.#checker = checker
    this.#folder = folder
  }

  read(module: ts.Symbol): HoverTexts {
    for (const exported of this.#checker.getExportsOfModule(module)) {
      const symbol =
        exported.flags & ts.SymbolFlags.Alias ? this.#checker.getAliasedSymbol(exported) : exported
      const declaration = this.#declarationOf(symbol)
      if (declaration === undefined) continue
      this.#count(symbol, exported.name)
      if (symbol.flags & ts.SymbolFlags.Type) {
        this.#follow(this.#checker.getDeclaredTypeOfSymbol(symbol), exported.name)
      }
      if (symbol.flags & ts.SymbolFlags.Value) {
        this.#follow(this.#checker.getTypeOfSymbolAtLocation(symbol, declaration), exported.name)
      }
    }
    return { described: this.#described, undescribed: this.#undescribed }
  }

  #follow(type: ts.Type, at: string): void {
    if (this.#seen.has(type)) return
    this.#seen.add(type)
    if (type.isUnionOrIntersection()) {
      for (const part of type.types) this.#follow(part, at)
      return
    }
    for (const argument of this.#checker.getTypeArguments(type as ts.TypeReference)) {
      this.#follow(argument, at)
    }
    for (const signature of [...type.getCallSignatures(), ...type.getConstructSignatures()]) {
      this.#followSignature(signature, at)
    }
    for (const property of type.getProperties()) {
      const declaration = this.#declarationOf(property)
      if (declaration === undefined) continue
      const name = `${at}.${property.name}`
      this.#count(property, name)
      this.#follow(this.#checker.getTypeOfSymbolAtLocation(property, declaration), name)
    }
  }

  #followSignature(signature: ts.Signature, at: string): void {
    if (signature.declaration?.getSourceFile().fileName.startsWith(this.#folder) !== true) return
    for (const parameter of signature.parameters) {
      const declaration = this.#declarationOf(parameter)
      if (declaration === undefined) continue
      this.#follow(
        this.#checker.getTypeOfSymbolAtLocation(parameter, declaration),
        `${at}(${parameter.name})`,
      )
    }
    this.#follow(signature.getReturnType(), `${at}()`)
  }

  #count(symbol: ts.Symbol, name: string): void {
    if (symbol.getDocumentationComment(this.#checker).length === 0) this.#undescribed.push(name)
    else this.#described += 1
  }

  /** Undefined for names of the language and of other packages, which are described where they are declared. */
  #declarationOf(symbol: ts.Symbol): ts.Declaration | undefined {
    return symbol.declarations?.find((one) => one.getSourceFile().fileName.startsWith(this.#folder))
  }
}
