/**
 * Stands in for the SDK's credential chain in the deployed bundles: Lambda gives credentials in the environment, and
 * the chain's ten other sources are 100 KiB to load at each cold start. Locally and in tests the whole chain is there.
 */

/** What the SDK's clients call by this name; each call gives the credentials that the environment holds then. */
export function defaultProvider() {
  return async () => {
    const { AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN } = process.env
    if (!AWS_ACCESS_KEY_ID || !AWS_SECRET_ACCESS_KEY) {
      throw new Error('AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY are not set')
    }
    return {
      accessKeyId: AWS_ACCESS_KEY_ID,
      secretAccessKey: AWS_SECRET_ACCESS_KEY,
      ...(AWS_SESSION_TOKEN ? { sessionToken: AWS_SESSION_TOKEN } : {}),
    }
  }
}
