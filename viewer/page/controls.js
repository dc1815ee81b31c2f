// The parts from which a view's own script builds its controls: docs/design/view.md.

let ids = 0;

function labelled(text, control) {
  const label = document.createElement("label");
  label.append(text, control);
  return label;
}

export class Controls {
  constructor({ hello, picture, send, own, tools, fail }) {
    Object.assign(this, { hello, picture, send, own, tools, fail });
    own.replaceChildren();
    tools.replaceChildren(tools.querySelector("legend"));
    tools.hidden = true;
    picture.tool = null;
    picture.canvas.classList.remove("tool");
    this.group = `tool-${++ids}`;
  }

  act(name, args = {}) {
    this.send({ do: "act", name, arguments: args });
  }

  add(control) {
    control.disabled = !this.hello.steers;
    return control;
  }

  button(text, action) {
    const button = this.add(document.createElement("button"));
    button.type = "button";
    button.textContent = text;
    button.addEventListener("click", () => action());
    this.own.append(button);
    return button;
  }

  /** `values`: texts, or pairs of a value and a text. */
  choice(text, values, action) {
    const select = this.add(document.createElement("select"));
    for (const one of values) {
      const [value, label] = Array.isArray(one) ? one : [one, one];
      select.append(new Option(label, value));
    }
    select.addEventListener("change", () => action?.(select.value));
    this.own.append(labelled(text, select));
    return select;
  }

  number(text, { min, max, step = "any", value }, action) {
    const input = this.add(document.createElement("input"));
    Object.assign(input, { type: "range", min, max, step, value });
    const shown = document.createElement("output");
    shown.textContent = value;
    input.addEventListener("input", () => {
      shown.textContent = input.value;
      action?.(Number(input.value));
    });
    const label = labelled(text, input);
    label.append(shown);
    this.own.append(label);
    return input;
  }

  toggle(text, value, action) {
    const input = this.add(document.createElement("input"));
    input.type = "checkbox";
    input.checked = value;
    input.addEventListener("change", () => action?.(input.checked));
    this.own.append(labelled(text, input));
    return input;
  }

  text(text, value, action) {
    const input = this.add(document.createElement("input"));
    input.value = value;
    input.spellcheck = false;
    input.addEventListener("change", () => action?.(input.value));
    this.own.append(labelled(text, input));
    return input;
  }

  /** A file of this machine that its user chooses: action(text, name). */
  file(text, endings, action) {
    const input = this.add(document.createElement("input"));
    input.type = "file";
    input.accept = endings.join(",");
    input.addEventListener("change", async () => {
      const [chosen] = input.files;
      input.value = "";
      if (chosen) action(await chosen.text(), chosen.name);
    });
    this.own.append(labelled(text, input));
    return input;
  }

  /** Something else that the pointer does than moving the picture. Returns what chooses it. */
  tool(text, does) {
    if (this.tools.hidden) {
      this.tools.hidden = false;
      this.pick("Move", null).checked = true;
    }
    return this.pick(text, does);
  }

  pick(text, does) {
    const input = this.add(document.createElement("input"));
    input.type = "radio";
    input.name = this.group;
    input.addEventListener("change", () => {
      this.picture.tool = does;
      this.picture.canvas.classList.toggle("tool", does !== null);
    });
    const label = document.createElement("label");
    label.append(input, text);
    this.tools.append(label);
    return input;
  }
}
