import { render } from "preact";
import { followAddress } from "./address.ts";
import { App, loadScreen } from "./app.tsx";
import { followKeys } from "./keys.ts";
import { loadStrings } from "./strings.ts";
import "./style.css";

const place = document.getElementById("page");
if (place) {
  followAddress();
  loadScreen(); // beside the words, not after them
  await loadStrings();
  followKeys();
  render(<App />, place);
}
