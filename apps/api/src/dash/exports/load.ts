import { Readable } from 'node:stream'
import { Refusal } from '@merchant-payments/contract'
import { counts, type Deps, type ExportedRows, MINUTE_MS, openExport } from '@merchant-payments/core'
import type { Reader } from '@merchant-payments/db'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { noteStaff } from '../../http/caller.ts'
import { goneOf } from '../../http/gone.ts'
import { requireIds } from '../../http/params.ts'
import { authenticateStaff, type CookieHolder, type SessionDeps } from '../session.ts'
import { csvOf } from './csv.ts'
import { xlsxOf } from './xlsx.ts'

/** docs/spec-gaps.md, exports. Files that one process sends at a time, and one member loads. */
const FILES_MAX = 4
const FILES_OF_MEMBER_MAX = 2
/** A file that takes longer is cut off, so that a client cannot hold one of them open. */
const FILE_MAX_MS = 30 * MINUTE_MS

const contentTypes = {
  csv: 'text/csv; charset=utf-8',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
} as const

/** Such as `charges-20261121T000000Z-20261122T000000Z.csv`, so that the next file can begin where it ends. */
const nameOf = ({ of, format, fromMs, untilMs }: ExportedRows): string =>
  `${of}-${timeOf(fromMs)}-${timeOf(untilMs)}.${format}`

const timeOf = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19).replaceAll(/[-:]/g, '')}Z`

export interface OpenedFile {
  readonly rows: ExportedRows
  /** The staff member who loads it. */
  readonly subject: string
}

/** Loads files that staff asked for. A browser navigates to their path, which the answer of `exports.create` names. */
export function exportFiles(
  deps: SessionDeps & Pick<Deps, 'db' | 'clock'> & { readonly lists: (request: FastifyRequest) => Reader },
) {
  const underWay = counts<string>()

  /** @throws Refusal service_unavailable if too many files are being loaded */
  function reserve(subject: string): void {
    if (underWay.total() >= FILES_MAX || underWay.get(subject) >= FILES_OF_MEMBER_MAX) {
      throw new Refusal('service_unavailable', 'Too many files are being loaded. Try again when one is done.')
    }
    underWay.add(subject, 1)
  }

  return {
    open: async (who: CookieHolder, request: FastifyRequest, reply: FastifyReply): Promise<OpenedFile> => {
      const { staff } = await authenticateStaff(deps, who)
      noteStaff(request, staff.subject)
      requireIds(request)
      const { id } = request.params as { id: string }
      const db = { ...deps.db, lists: deps.lists(request) }
      const by = { staff, requestId: request.id }
      const rows = await openExport({ ...deps, db }, by, id, goneOf(reply))
      reserve(staff.subject)
      return { rows, subject: staff.subject }
    },
    /** The slot of the surface is free again; the file is sent in its own time. */
    send: (reply: FastifyReply, { rows, subject }: OpenedFile): FastifyReply => {
      const { format, heads, parts } = rows
      const file =
        format === 'xlsx'
          ? xlsxOf(heads, parts)
          : Readable.from(csvOf(heads, parts), { objectMode: true, highWaterMark: 1 })
      const timer = setTimeout(() => file.destroy(new Error('the file took too long')), FILE_MAX_MS)
      timer.unref()
      file.once('close', () => {
        clearTimeout(timer)
        underWay.add(subject, -1)
      })
      // An ended request destroys the file; one that ended before it was sent would not.
      if (reply.raw.destroyed) file.destroy()
      // Rows that the filter leaves out are read in silence, for minutes in a large table.
      reply.raw.setTimeout(FILE_MAX_MS)
      return reply
        .header('content-type', contentTypes[format])
        .header('content-disposition', `attachment; filename="${nameOf(rows)}"`)
        .send(file)
    },
  }
}
