/**
 * What an answer that is data needs: its type is not guessed, it is not shown in a frame, and the address is not used without TLS again.
 * Set as they are: working out the dozen headers that fit any page takes a tenth of a request.
 */
export const SECURITY_HEADERS = {
  'strict-transport-security': 'max-age=31536000; includeSubDomains',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
}
