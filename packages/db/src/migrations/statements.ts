/** A migration's file, before it is known how it is applied. */
export interface MigrationText {
  readonly name: string
  readonly sql: string
}

/** The statements of a file that has neither functions nor semicolons within strings. */
export const statementsOf = ({ sql }: MigrationText): string[] =>
  sql
    .replaceAll(/--[^\n]*/g, '')
    .split(';')
    .map((statement) => statement.trim())
    .filter((statement) => statement !== '')
