import { OAuthError } from '@merchant-payments/node-sdk'
import { Command } from 'commander'
import { type Connection, openConnection, withConnection } from '../connection.ts'
import { exitCodes, Failure } from '../failure.ts'
import { publicPartOf } from '../key-pair.ts'
import { outputOf } from '../output.ts'

const DISCOVERY_TIMEOUT_MS = 10_000

export const tokenCommand = (): Command =>
  withConnection(
    new Command('token').description(
      'Prints an access token, or says what is wrong with the set-up of the client.',
    ),
  ).action(printToken)

async function printToken(flags: object, command: Command): Promise<void> {
  const connection = await openConnection(flags)
  try {
    const accessToken = await connection.tokens.get()
    await outputOf(command).print({ access_token: accessToken, token_type: 'Bearer' }, accessToken)
  } catch (error) {
    if (!(error instanceof OAuthError) || error.code !== 'invalid_client') throw error
    throw new Failure(`the service refuses the client: ${error.code}`, exitCodes.refused, [
      ...(await audienceFaultOf(connection)),
      ...keyFactsOf(connection),
      ...error.hints,
    ])
  }
}

/** The service says in its discovery document which audience it accepts. */
async function audienceFaultOf({ options: { baseUrl, issuer } }: Connection): Promise<string[]> {
  const sent = issuer ?? `${baseUrl}/v1/oauth`
  // An ingress may answer with a page, or with JSON of its own.
  const document: unknown = await fetch(`${baseUrl}/v1/oauth/.well-known/openid-configuration`, {
    signal: AbortSignal.timeout(DISCOVERY_TIMEOUT_MS),
  })
    .then((response) => response.json())
    .catch(() => null)
  const accepted = (document as { readonly issuer?: unknown } | null)?.issuer
  if (typeof accepted !== 'string' || accepted === sent) return []
  return [
    `The audience is wrong: the service is ${accepted}, and ${sent} was sent. Set --issuer ${accepted}.`,
  ]
}

/** What the operator can compare with the registration. */
function keyFactsOf({ privateKey }: Connection): string[] {
  const { kid } = publicPartOf(privateKey)
  return [`The public part of this key has the kid or thumbprint ${kid}: compare it with the registration.`]
}
