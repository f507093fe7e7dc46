import { signInAddress } from '../wire/client.ts'
import { Fault, type FaultKind } from '../wire/fault.ts'

const titles: Readonly<Record<FaultKind, string>> = {
  signed_out: 'Your session is over',
  forbidden: 'Your role does not allow this',
  missing: 'There is no such object',
  refused: 'The service refused this',
  unavailable: 'The service has a problem',
  offline: 'The service cannot be reached',
}

interface ErrorPanelProps {
  readonly fault: Error
  readonly again?: () => void
}

/** Says why nothing can be shown, in the API's words if it sent any. */
export function ErrorPanel({ fault, again }: ErrorPanelProps) {
  const { kind, requestId } =
    fault instanceof Fault ? fault : { kind: 'unavailable' as const, requestId: null }
  const isStepUp = fault instanceof Fault && fault.code === 'step_up_required'
  const canTryAgain = again !== undefined && kind !== 'forbidden' && kind !== 'missing'
  return (
    <div className="trouble" role="alert">
      <h2>{isStepUp ? 'This needs a new sign-in' : titles[kind]}</h2>
      <p>{fault.message}</p>
      {requestId && (
        <p className="quiet">
          Request <code>{requestId}</code>
        </p>
      )}
      {isStepUp && (
        <a className="button" href={signInAddress(location.pathname + location.search, true)}>
          Sign in again
        </a>
      )}
      {canTryAgain && (
        <button type="button" onClick={again}>
          Try again
        </button>
      )}
    </div>
  )
}
