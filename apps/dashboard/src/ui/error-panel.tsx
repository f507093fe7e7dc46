import { signInAddress } from '../wire/client.ts'
import { ApiError, type ErrorKind, isOfEarlierSession, isStepUpRequired } from '../wire/api-error.ts'
import { i18n } from '../i18n.ts'

const titles: Readonly<Record<ErrorKind, string>> = {
  signed_out: i18n.t('Your session is over'),
  forbidden: i18n.t('Your role does not allow this'),
  missing: i18n.t('There is no such object'),
  refused: i18n.t('The service refused this'),
  unavailable: i18n.t('The service has a problem'),
  offline: i18n.t('The service cannot be reached'),
}

function titleOf(fault: Error, kind: ErrorKind): string {
  if (isStepUpRequired(fault)) return i18n.t('This needs a new sign-in')
  return isOfEarlierSession(fault) ? i18n.t('Your session has changed') : titles[kind]
}

/** The API's words if it sent any that a person can use. */
export const reasonOf = (fault: Error): string =>
  isOfEarlierSession(fault)
    ? i18n.t('Somebody has signed in anew in this browser. Nothing was done. Send it again.')
    : fault.message

interface ErrorPanelProps {
  readonly fault: Error
  readonly again?: () => void
  /** Offers a sign-in, at which the provider asks for the account. */
  readonly signIn?: boolean
}

/** Says why nothing can be shown. */
export function ErrorPanel({ fault, again, signIn = false }: ErrorPanelProps) {
  const { kind, requestId } =
    fault instanceof ApiError ? fault : { kind: 'unavailable' as const, requestId: null }
  const isStepUp = isStepUpRequired(fault)
  const canTryAgain = again !== undefined && kind !== 'forbidden' && kind !== 'missing'
  return (
    <div className="trouble" role="alert">
      <h2>{titleOf(fault, kind)}</h2>
      <p>{reasonOf(fault)}</p>
      {requestId && (
        <p className="quiet">
          {i18n.t('Request')} <code>{requestId}</code>
        </p>
      )}
      {(isStepUp || signIn) && (
        <a className="button" href={signInAddress(location.pathname + location.search, true)}>
          {i18n.t('Sign in again')}
        </a>
      )}
      {canTryAgain && (
        <button type="button" onClick={again}>
          {i18n.t('Try again')}
        </button>
      )}
    </div>
  )
}
