import { Refusal, STATEMENT_PARTS_MAX } from '@merchant-payments/contract'
import { addPart, type Deps, getUpload, type StatementPart, type Upload } from '@merchant-payments/core'
import { readPartInSteps, type StatementColumns, StatementError } from '@merchant-payments/statements'
import type { FastifyRequest } from 'fastify'
import { noteStaff } from '../../http/caller.ts'
import { answerOf } from '../../http/mount.ts'
import { requireIds } from '../../http/params.ts'
import { queryOf } from '../../http/paths.ts'
import {
  authenticateStaff,
  type CookieHolder,
  requireOwnPage,
  requireRole,
  type SessionDeps,
} from '../session.ts'

const csvType = /^text\/csv\s*(?:;\s*charset="?utf-8"?\s*)?$/i

interface LinesDeps extends SessionDeps, Pick<Deps, 'db' | 'clock'> {
  readonly origin: string
  readonly statements: readonly StatementColumns[]
}

/** The route of the parts of a statement's file. The document of `statements.create` describes it. */
export const statementLines = (deps: LinesDeps) => ({
  /** Before the body is read. @throws Refusal */
  admitSender: async (who: CookieHolder, request: FastifyRequest): Promise<void> => {
    const { staff, secret } = await authenticateStaff(deps, who)
    noteStaff(request, staff.subject)
    requireIds(request)
    requireOwnPage(request, secret, deps.origin)
    requireRole(staff, 'operator')
  },
  takeLines: async (request: FastifyRequest): Promise<ReturnType<typeof answerOf>> => {
    const upload = await getUpload(deps, (request.params as { id: string }).id)
    const number = partOf(request)
    const linesBefore = linesBeforeOf(request)
    const part = number < upload.parts ? null : await read(deps, upload, linesBefore, request)
    const taken = part === null ? { number, heads: null, lines: 0, money: [] } : { number, ...part }
    return answerOf(200, await addPart(deps, upload.id, taken))
  },
})

/** @throws Refusal invalid_request */
function partOf({ url }: FastifyRequest): number {
  const text = new URLSearchParams(queryOf(url)).get('part') ?? ''
  if (/^\d{1,6}$/.test(text) && Number(text) < STATEMENT_PARTS_MAX) return Number(text)
  throw new Refusal('invalid_request', 'must be the number of the part', { param: 'part' })
}

/** Null if an older page does not say. @throws Refusal invalid_request */
function linesBeforeOf({ url }: FastifyRequest): number | null {
  const text = new URLSearchParams(queryOf(url)).get('lines_before')
  if (text === null) return null
  if (/^\d{1,12}$/.test(text)) return Number(text)
  throw new Refusal('invalid_request', 'must be the number of lines before the part', {
    param: 'lines_before',
  })
}

/** @throws Refusal invalid_request naming the line */
async function read(
  { statements }: LinesDeps,
  { rail, heads }: Upload,
  linesBefore: number | null,
  { body, headers }: FastifyRequest,
): Promise<Omit<StatementPart, 'number'>> {
  const columns = statements.find((one) => one.rail === rail)
  if (columns === undefined) {
    throw new Refusal('invalid_request', 'The configuration has no columns for this rail’s statements.')
  }
  if (!(body instanceof Uint8Array) || !csvType.test(headers['content-type'] ?? '')) {
    throw new Refusal('invalid_request', 'The body must be text/csv in UTF-8.')
  }
  try {
    return await readPartInSteps(
      columns,
      new TextDecoder('utf-8', { fatal: true }).decode(body),
      heads,
      linesBefore,
    )
  } catch (error) {
    if (error instanceof StatementError) {
      throw new Refusal('invalid_request', `The file cannot be read: ${error.message}.`, { cause: error })
    }
    throw new Refusal('invalid_request', 'The body is not valid UTF-8.', { cause: error })
  }
}
