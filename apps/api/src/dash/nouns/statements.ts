import { Refusal } from '@merchant-payments/contract'
import {
  closeRailFinding,
  closeStatement,
  compareStatement,
  createStatement,
  getStatement,
  listRailFindings,
  listStatements,
  parseId,
  reopenStatement,
  type StatementId,
} from '@merchant-payments/core'
import { offsetSecOf } from '@merchant-payments/statements'
import { type HandlerDeps, handlers } from '../handlers.ts'

export const statements = (deps: HandlerDeps) =>
  handlers({
    listStatements: ({ query }) =>
      listStatements(deps, {
        rail: query.rail ?? null,
        day: query.day ?? null,
        before: (query.starting_after ?? null) as StatementId | null,
        limit: query.limit,
      }),
    retrieveStatement: async ({ params, query }) => {
      const { heads: _, ...shown } = await getStatement(deps, params.id, {
        verdict: query.verdict ?? null,
        after: query.after,
        limit: query.limit,
      })
      return shown
    },
    createStatement: ({ request, body }) => {
      const columns = deps.statements.find(({ rail }) => rail === body.rail)
      if (columns === undefined) {
        throw new Refusal(
          'invalid_request',
          'must be a rail with columns of statements in the configuration',
          {
            param: 'rail',
          },
        )
      }
      return createStatement(deps, request, {
        rail: body.rail,
        day: body.day,
        offsetSec: offsetSecOf(columns),
      })
    },
    compareStatement: ({ by, params, body, logged }) => {
      const id = parseId('st', params.id)
      if (id === null) throw new Refusal('resource_missing', 'No such statement.')
      return logged(compareStatement(deps, by, id, body.parts ?? null))
    },
    listRailFindings: () => listRailFindings(deps),
    closeRailFinding: ({ request, params, body }) =>
      closeRailFinding(deps, request, params.id, body.seen_revision ?? null),
    closeStatement: ({ request, params, body }) =>
      closeStatement(deps, request, params.id, {
        matched: body.seen_matched,
        ours_only: body.seen_ours_only,
        theirs_only: body.seen_theirs_only,
        amount_differs: body.seen_amount_differs,
        duplicate: body.seen_duplicate,
      }),
    reopenStatement: ({ request, params }) => reopenStatement(deps, request, params.id),
  })
