import { idIn, type StatementId } from '../base/ids.ts'
import type { Deps } from '../deps.ts'
import { noSuchStatement } from './part.ts'
import type { StatementRow } from './statement.ts'
import { findStatement } from './store.ts'

export interface Upload extends Pick<StatementRow, 'rail' | 'heads' | 'parts'> {
  readonly id: StatementId
}

/**
 * What reading a part of a statement's file needs to know of the parts before it.
 *
 * @throws Refusal resource_missing
 */
export async function getUpload({ db }: Pick<Deps, 'db'>, idText: string): Promise<Upload> {
  const id = idIn('st', idText, noSuchStatement)
  const statement = await findStatement(db.reader, id)
  if (statement === undefined) throw noSuchStatement()
  return { id, rail: statement.rail, heads: statement.heads, parts: statement.parts }
}
