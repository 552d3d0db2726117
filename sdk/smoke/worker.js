import * as sdk from '@fulfillment/sdk'
import * as webhooks from '@fulfillment/sdk/webhooks'
import * as testing from '@fulfillment/sdk/webhooks/testing'
import { story } from './story.js'

export default {
  async fetch(request) {
    await story({ sdk, webhooks, testing }, await request.json())
    return new Response('ok')
  },
}
