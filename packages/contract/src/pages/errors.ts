import { declineMessages } from '../declines.ts'
import { type ErrorKind, errorKinds, staffErrorKinds } from '../errors.ts'
import { operations } from '../openapi/documents.ts'
import { errorsOf } from '../operation.ts'

/** Generates docs/errors.md from the error catalogue, the decline messages and the operations. */
export const errorsPage = (): string =>
  [
    opening,
    codesOf(errorKinds),
    afterCodes,
    table(
      ['code', 'English', 'français'],
      Object.entries(declineMessages).map(([code, { en, fr }]) => [`\`${code}\``, en, fr]),
    ),
    byOperation,
    table(['call', 'codes of its own', 'other codes'], operationRows('v1')),
    payers,
    table(['call', 'codes of its own', 'other codes'], operationRows('browser')),
    staff,
    codesOf(staffErrorKinds),
    ending,
  ].join('\n\n')

const codesOf = (kinds: Readonly<Record<string, ErrorKind>>): string =>
  table(
    ['code', 'status', 'type', 'retry', 'stored', 'what it means, and what to do'],
    Object.entries(kinds).map(([code, { status, type, shouldRetry, help, ...kept }]) => [
      `\`${code}\``,
      String(status),
      `\`${type}\``,
      String(shouldRetry),
      storedWords(kept),
      help,
    ]),
  )

const storedWords = ({ stored, storedExcept }: Pick<ErrorKind, 'stored' | 'storedExcept'>): string => {
  if (!stored) return 'no'
  return storedExcept === undefined ? 'yes' : `yes, except of ${storedExcept}`
}

/** Codes of nearly every call. The page names them once, above the table. */
const common = new Set([
  'invalid_request',
  'authentication_error',
  'forbidden',
  'idempotency_key_in_use',
  'idempotency_key_in_flight',
  'service_unavailable',
  'internal_error',
])

const operationRows = (surface: 'v1' | 'browser'): string[][] =>
  operations
    .filter((operation) => operation.surface === surface)
    .map((operation) => {
      const { method, path, errors } = operation
      const others = errorsOf(operation).filter((code) => !common.has(code) && !errors.includes(code))
      return [`${method} \`${path}\``, listed(errors), listed(others)]
    })

const listed = (codes: readonly string[]): string =>
  codes.length === 0 ? '' : codes.map((code) => `\`${code}\``).join(', ')

const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')

const opening = `<!-- Generated from packages/contract by \`npx pnpm@12 openapi\`. Do not edit: change the declarations. -->

# Errors

Every error that /v1, /v1/browser and /dash/v1 render is one JSON object:

\`\`\`json
{
  "error": {
    "type": "invalid_request_error",
    "code": "invalid_request",
    "message": "currency must be XAF or EUR",
    "param": "currency"
  }
}
\`\`\`

- \`code\` is stable. Decide by it: each code has one status and one type. A later version of the service may add codes; treat one that you do not know by its status.
- \`message\` is for people. It names \`param\`, holds no id, host or number, and its words may change.
- \`param\` names the parameter at fault in bracket spelling (\`metadata[order]\`), of a long name the first 100 characters. If a part of the name is no plain word, or has five digits or more, \`param\` and \`message\` have only its first word, because such a part can be private. \`param\` is absent if the first word is not plain either, or if no parameter is at fault.

**There is no 402.** A payment that the rail declines is not an error of the API: the confirm answers 200, and \`last_payment_error\` of the payment intent says why (see [Why a rail refused](#why-a-rail-refused)). There is no 429 either: rate limits belong to the ingress.

In the tables, \`retry\` is the value of the \`compat-should-retry\` header: whether the same request, with the same \`Idempotency-Key\`, can end otherwise. \`stored\` says whether the answer is kept under the key for 24 hours and replayed: after a stored error, correct the request and send it under a new key. A 400 about the key itself or about the content type is not stored.

A confirm that was interrupted, by a 502 or by the death of a process, continues its own charge when it is sent again under the same key. While that charge is under way, the answer is \`charge_in_progress\` and is stored under no key. So the same request learns the outcome later. If that charge never reached its rail and another one has paid the intent, the answer is a 200 with the intent.`

const afterCodes = `## Why a rail refused

\`last_payment_error.code\` of a payment intent is one of these codes on every rail. \`decline_code\` and \`message\` are the rail's own code and message, for support. Show the payer the sentence of the code in the payer's language.`

const byOperation = `## Which call has which error

Every call of /v1 can be refused with \`invalid_request\`, \`authentication_error\`, \`forbidden\`, \`service_unavailable\` and \`internal_error\`, and each POST and PATCH with \`idempotency_key_in_use\` and \`idempotency_key_in_flight\`. The table lists the other codes of each call.`

const payers = `A payer's call needs no token. A wrong publishable key, a wrong secret and an unknown id have one and the same answer: \`resource_missing\`. The rest is as above.`

const staff = `## The staff's surface

/dash/v1 uses the same codes, and those of the table below. Three things differ:

- \`authentication_error\` says that nobody is signed in, or that the session is over. \`forbidden\` says that the role does not reach (the message names the one that is needed), or that the request did not come from the dashboard.
- A key is kept with the change that it made, for ever. A refusal is stored under no key, so the same request can be made again.
- Where a browser navigates (\`sign_in\`, \`callback\`, \`sign_out\`), a refusal is a page for a request whose \`Accept\` prefers HTML, and this envelope for any other. Both carry \`compat-should-retry\`.`

const ending = `## Without an envelope

| status | when | body |
| --- | --- | --- |
| 405 | the path exists and has no such method; \`allow\` lists those it has | empty |
| 413 | the body is larger than 64 KiB | empty, and the connection closes |

These two are answered below the renderer. Like every response they carry \`request-id\` and \`x-request-id\`, with one value.

## Token endpoint

\`POST /v1/oauth/token\` uses OAuth's error form: \`error\` and \`error_description\`. An assertion can be used once: sign a new one for each request.

| error | status | what it means, and what to do |
| --- | --- | --- |
| \`invalid_client\` | 401 | The client could not be authenticated: unknown or disabled client, wrong key or \`kid\`, wrong \`aud\`, a spent \`jti\`, or a clock more than 60 seconds off. The answer does not say which. |
| \`invalid_request\` | 400 | A parameter is missing, doubled or wrong, the body is no form, or the client authenticates in a second way. |
| \`unauthorized_client\` | 400 | The grant is one that OAuth knows by name, such as \`authorization_code\`, \`refresh_token\`, \`password\` or the device grant. Only \`client_credentials\` is accepted. |
| \`unsupported_grant_type\` | 400 | The grant is not known by any name. |
| \`invalid_scope\` | 400 | A scope outside the client's registration. |
| \`invalid_target\` | 400 | An audience outside the client's registration. |
| \`temporarily_unavailable\` | 503 | The service cannot take the request at this moment. Ask again with a fresh assertion after a moment. |

A token minted without \`audience=service:v1\` is a good answer here and a 401 on every /v1 route.
`
