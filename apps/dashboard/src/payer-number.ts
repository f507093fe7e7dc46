/** Whether this is a payer's number, perhaps masked. After an erasure it is a text that says so. */
export const isPayerNumber = (msisdn: string | null | undefined): msisdn is string =>
  /^\d[\d •]+$/.test(msisdn ?? '')
