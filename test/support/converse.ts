// What the tests of a conversation ask with: one question, and everything that follows its answer.
export { converse } from "../../src/features/stories/app/story.ts";
