// OpenAI's own Node client against live servers: nothing about it is changed but its address.
//
// node openai_node.mjs '{"plain": URL, "calling": URL, "thinking": URL, "failing": URL, "full": URL, "locked": URL}'
//
// Prints one line a check; the first failure ends it with a trace and exit code 1.

import assert from "node:assert/strict";
import OpenAI from "openai";

const urls = JSON.parse(process.argv[2]);
const messages = [{ role: "user", content: "hi" }];
const tools = [
  {
    type: "function",
    function: { name: "look_up", parameters: { type: "object", properties: { seat: { type: "integer" } } } },
  },
];

const clientOf = (name, options = {}) =>
  new OpenAI({ baseURL: `${urls[name]}/v1`, apiKey: "unused", maxRetries: 0, ...options });

const ask = (client, options = {}) => client.chat.completions.create({ model: "mock", messages, ...options });

async function collected(stream) {
  const chunks = [];
  for await (const chunk of stream) chunks.push(chunk);
  return chunks;
}

const textOf = (chunks) => chunks.map((chunk) => chunk.choices?.[0]?.delta.content ?? "").join("");

async function refused(promise, kind, status, code) {
  const error = await promise.then(
    () => assert.fail(`expected ${kind.name}`),
    (thrown) => thrown,
  );
  assert.equal(error.constructor, kind, String(error));
  assert.equal(error.status, status);
  assert.equal(error.code, code);
  return error;
}

const checks = {
  async "a chat"() {
    const answer = await ask(clientOf("plain"), { temperature: 0, seed: 7 });
    assert.equal(answer.choices[0].message.content, "Hello, world");
    assert.equal(answer.choices[0].finish_reason, "stop");
    assert.equal(answer.usage.completion_tokens, 4);
    assert.ok(answer._request_id);
  },

  async "a stream with usage"() {
    const options = { stream: true, stream_options: { include_usage: true } };
    const chunks = await collected(await ask(clientOf("plain"), options));
    assert.equal(textOf(chunks), "Hello, world");
    assert.equal(chunks.at(-2).choices[0].finish_reason, "stop");
    assert.deepEqual(chunks.at(-1).choices, []);
    assert.equal(chunks.at(-1).usage.completion_tokens, 4);
  },

  async "the accumulating stream"() {
    const stream = clientOf("plain").chat.completions.stream({ model: "mock", messages });
    assert.equal(await stream.finalContent(), "Hello, world");
  },

  async "tool calls, whole and streamed"() {
    const client = clientOf("calling");
    const whole = await ask(client, { tools });
    const streamed = await client.chat.completions.stream({ model: "mock", messages, tools }).finalChatCompletion();
    for (const { choices } of [whole, streamed]) {
      assert.equal(choices[0].finish_reason, "tool_calls");
      const [call, ...others] = choices[0].message.tool_calls;
      assert.equal(others.length, 0);
      assert.ok(call.id.startsWith("call_"));
      assert.deepEqual({ ...call.function }, { ...call.function, name: "look_up", arguments: '{"seat":17}' });
    }
  },

  async "reasoning and performance"() {
    const client = clientOf("thinking");
    const answer = await ask(client, { include_performance: true });
    assert.equal(answer.choices[0].message.reasoning_content, "so");
    assert.equal(answer.choices[0].message.content, "yes");
    assert.equal(answer.metadata.performance.completion_tokens, 4);
    const chunks = await collected(await ask(client, { include_performance: true, stream: true }));
    const finish = chunks.find((chunk) => chunk.choices?.[0]?.finish_reason);
    assert.equal(finish.metadata.performance.completion_tokens, 4);
    assert.equal(chunks.filter((chunk) => chunk.object === "kiln.token_timing").length, 3);
  },

  async "models"() {
    const models = await clientOf("plain").models.list();
    assert.deepEqual(models.data.map((model) => model.id), ["mock"]);
  },

  async "refusals are its error classes"() {
    const client = clientOf("plain");
    for (const stream of [false, true]) {
      const error = await refused(ask(client, { n: 0, stream }), OpenAI.BadRequestError, 400, "chat_invalid_request");
      assert.equal(error.param, "n");
      assert.equal(error.type, "invalid_request_error");
      assert.ok(error.requestID);
      const broken = ask(client, { temperature: "hot", stream });
      await refused(broken, OpenAI.UnprocessableEntityError, 422, "contract_violation");
      await refused(ask(client, { adapter: "none", stream }), OpenAI.NotFoundError, 404, "adapter_not_found");
      const rollout = ask(client, { rollout_provenance: true, stream });
      await refused(rollout, OpenAI.InternalServerError, 501, "rollout_provenance_unavailable");
    }
    await refused(client.models.retrieve("none"), OpenAI.NotFoundError, 404, "not_found");
  },

  async "keys"() {
    await refused(ask(clientOf("locked")), OpenAI.AuthenticationError, 401, "unauthorized");
    const friend = clientOf("locked", { apiKey: process.env.KILN_TEST_KEY });
    assert.equal((await ask(friend)).choices[0].message.content, "hi");
    await refused(friend.get("/config"), OpenAI.PermissionDeniedError, 403, "forbidden");
  },

  async "a failing model"() {
    const client = clientOf("failing");
    await refused(ask(client), OpenAI.InternalServerError, 500, "generation_error");
    const stream = await ask(client, { stream: true });
    await refused(collected(stream), OpenAI.APIError, undefined, "generation_error");
  },

  async "a full queue, and another try when it was told to"() {
    const busy = await ask(clientOf("full"), { stream: true });
    const rest = busy[Symbol.asyncIterator]();
    await rest.next();
    const error = await refused(ask(clientOf("full")), OpenAI.RateLimitError, 429, "queue_full");
    assert.ok(Number(error.headers.get("retry-after")) >= 1);
    const began = performance.now();
    // Without another try this would be refused, for the stream still runs.
    const answer = await ask(clientOf("full", { maxRetries: 5 }), { max_tokens: 1 });
    assert.ok(performance.now() - began >= 1000);
    assert.equal(answer.choices[0].message.content, "a");
  },

  async "its own deadline"() {
    const late = ask(clientOf("full", { timeout: 100 }));
    await assert.rejects(late, OpenAI.APIConnectionTimeoutError);
  },
};

for (const [name, check] of Object.entries(checks)) {
  await check();
  console.log(`ok ${name}`);
}
