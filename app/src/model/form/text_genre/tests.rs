//! Tests with a table of texts that visitors may paste.

use super::*;

fn of(task: Task, a: &str, b: &str) -> Option<TextGenre> {
    suited(&FormState { a: FormText::typed(a), b: FormText::typed(b), ..FormState::new(task) })
}

#[track_caller]
fn check(expected: Option<TextGenre>, texts: &[&str]) {
    for text in texts {
        let begin: String = text.chars().take(60).collect();
        assert_eq!(of(Task::EditDistance, text, ""), expected, "{begin}");
        assert_eq!(of(Task::Lcs, "", text), expected, "{begin}");
        assert_eq!(of(Task::EditDistance, text, text), expected, "{begin}");
        assert_eq!(of(Task::ExactSearch, text, text), None, "{begin}");
        // Windows ends lines with CR LF.
        assert_eq!(of(Task::Lcs, &text.replace('\n', "\r\n"), ""), expected, "{begin}");
    }
}

const ESSAY: &str = include_str!("../../task/samples/essay-source.txt");
const SONNET: &str = include_str!("../../task/samples/sonnet18.txt");

#[test]
fn prose_and_verse_are_compared_by_words() {
    let wrapped = "In the second place, the number of the offspring which survive is small; and this is\nthe reason why, if the summer is cold (as it was in 1854), four-fifths of the birds\nperish: ten per cent. is an extraordinarily severe mortality from epidemics with man.\nThe action of climate seems at first sight to be quite independent of the struggle.\n";
    let letter = "Liebe Frau Özdemir,\n\nvielen Dank für Ihren Brief vom 3. März, den ich erst heute beantworten kann. Die Bücher sind angekommen, und die Klasse liest schon.\nWir würden uns freuen, wenn Sie uns im Mai besuchten!\n\nMit freundlichen Grüßen\nAnna Groß\n";
    let russian = "Все счастливые семьи похожи друг на друга, каждая несчастливая семья несчастлива по-своему. Все смешалось в доме Облонских. Жена узнала, что муж был в связи с бывшею в их доме француженкою-гувернанткой, и объявила мужу, что не может жить с ним в одном доме.";
    let korean = "모든 인간은 태어날 때부터 자유로우며 그 존엄과 권리에 있어 동등하다. 인간은 천부적으로 이성과 양심을 부여받았으며 서로 형제애의 정신으로 행동하여야 한다. 모든 사람은 인종, 피부색, 성, 언어, 종교, 정치적 또는 기타의 견해, 민족적 또는 사회적 출신, 재산, 출생 또는 기타의 신분과 같은 어떠한 종류의 차별이 없이 이 선언에 규정된 모든 권리와 자유를 향유할 자격이 있다. 더 나아가 개인이 속한 국가 또는 영토가 독립국이든 신탁통치지역이든 차별이 있어서는 아니 된다. 모든 사람은 생명과 신체의 자유와 안전에 대한 권리를 가진다. 어느 누구도 노예가 되거나 타인에게 예속된 상태에 놓이지 아니한다.";
    let arabic = "يولد جميع الناس أحرارا متساوين في الكرامة والحقوق، وقد وهبوا عقلا وضميرا وعليهم أن يعامل بعضهم بعضا بروح الإخاء. لكل إنسان حق التمتع بكافة الحقوق والحريات الواردة في هذا الإعلان دون أي تمييز كالتمييز بسبب العنصر أو اللون أو الجنس أو اللغة أو الدين أو الرأي السياسي.";
    let stanza = "The fog comes in on little feet.\nIt sits there looking over us,\nover the harbour and the city\non silent haunches, and moves on.";
    check(Some(TextGenre::Prose), &[ESSAY, SONNET, wrapped, letter, russian, korean, arabic, stanza]);
    for poem in [include_str!("../../task/samples/1807.txt"), include_str!("../../task/samples/1815.txt")] {
        check(Some(TextGenre::Prose), &[poem]);
    }
}

#[test]
fn code_is_compared_by_lines() {
    let rust = "/// Returns the larger of both.\npub fn max(a: u64, b: u64) -> u64 {\n    if a > b {\n        a\n    } else {\n        b\n    }\n}\n";
    let python = "def distance(a, b):\n    row = list(range(len(b) + 1))\n    for i, x in enumerate(a):\n        last, row[0] = row[0], i + 1\n        for j, y in enumerate(b):\n            last, row[j + 1] = row[j + 1], min(row[j] + 1, row[j + 1] + 1, last + (x != y))\n    return row[-1]\n";
    let c = "#include <stdio.h>\n\nint main(void)\n{\n\tint i;\n\tfor (i = 0; i < 10; i++)\n\t\tprintf(\"%d\\n\", i);\n\treturn 0;\n}\n";
    let java = "import java.util.List;\n\npublic class Hello {\n    private final List<String> names;\n\n    public static void main(String[] args) {\n        System.out.println(\"Hello\");\n    }\n}\n";
    let script = "const total = items\n  .filter((item) => item.price > 0)\n  .map((item) => item.price * item.count)\n  .reduce((sum, price) => sum + price, 0);\nconsole.log(total);\n";
    let go = "package main\n\nimport \"fmt\"\n\nfunc main() {\n\tfor i := 0; i < 3; i++ {\n\t\tfmt.Println(i)\n\t}\n}\n";
    let query = "SELECT name, count(*)\nFROM people\nWHERE age > 18\nGROUP BY name\nORDER BY 2 DESC;\n";
    let shell = "#!/bin/sh\nset -e\nfor file in *.txt; do\n  echo \"$file\"\ndone\n";
    let page = "<!doctype html>\n<html>\n<body>\n<h1>Two texts</h1>\n<p>One is <em>old</em>.</p>\n</body>\n</html>\n";
    let sheet = "h1 {\n  color: red;\n  margin: 0 auto;\n}\np {\n  color: blue;\n}\n";
    check(Some(TextGenre::Code), &[rust, python, c, java, script, go, query, shell, page, sheet]);
}

#[test]
fn tables_logs_settings_and_lists_are_compared_by_lines() {
    let table = "name,born,died\nAda Lovelace,1815,1852\nAlan Turing,1912,1954\nGrace Hopper,1906,1992\n";
    let semicolons = "Name;Note;Datum\nMeyer;1,3;3.5.2026\nSchulz;2,0;4.5.2026\n";
    let tabs = "chr1\t100\t200\nchr1\t300\t400\nchr2\t100\t250\n";
    let json = "{\n  \"name\": \"editscope\",\n  \"tags\": [\n    \"diff\",\n    \"dna\"\n  ],\n  \"version\": 3\n}\n";
    let yaml = "name: build\non: push\njobs:\n  test:\n    runs-on: linux\n    steps:\n      - run: make\n      - uses: cache\n";
    let settings = include_str!("../../task/samples/then.toml");
    check(Some(TextGenre::Data), &[table, semicolons, tabs, json, yaml, settings, include_str!("../../task/samples/service.log")]);
    check(
        Some(TextGenre::List),
        &[
            "Anna Schmidt\nBen Maier\nCem Özdemir\nDana Petrov\n",
            "3\n1\n4\n1\n5\n",
            "apple\nbanana\ncherry\nquince\n",
            "王伟\n李娜\n张敏\n刘洋\n",
        ],
    );
}

#[test]
fn other_texts_are_compared_by_characters() {
    let chinese = "人人生而自由，在尊严和权利上一律平等。他们赋有理性和良心，并应以兄弟关系的精神相对待。".repeat(6);
    let japanese =
        "すべての人間は、生まれながらにして自由であり、かつ、尊厳と権利とについて平等である。人間は、理性と良心とを授けられている。\n"
            .repeat(6);
    let thai = "มนุษย์ทั้งหลายเกิดมามีอิสระและเสมอภาคกันในเกียรติศักดิ์และสิทธิ ต่างมีเหตุผลและมโนธรรม ".repeat(5);
    let tang = "床前明月光，\n疑是地上霜。\n举头望明月，\n低头思故乡。\n";
    let dna = "GATTACAGATTACAGATTACA\nGATTACCGATTACAGATTACA\n".repeat(20);
    let protein =
        "MKTAYIAKQRQISFVKSHFSRQLEERLGLIEVQAPILSRVGDGTQDNLSGAEKAVQVKVK\nALPDAQFEVVHSLAKWKRQTLGQHDFSAGEGLYTHMKALRPDEDRLSPLHSVYVDQWDWE*\n";
    let fasta = ">phage lambda\nGGGCGGCGACCTCGCGGGTTTTCGCTATTTATGAAAATTTTCCGGTTTAAGGCGTTTCCGTTCTTCTTCG\nTCATAACTTAATGTTTTTATTTAAAATACCCTCTGAAAAGAAAGGAAACGACAGGTGCTGAAAGCGAGGC\n";
    let minified = format!("{{\"names\":[{}]}}", "\"kitten\",".repeat(60));
    let base64 = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==".repeat(4);
    check(
        None,
        &["", "kitten", "sitting", "Meyer", "GATTACA", "Bandbands", "Only one short sentence, and not more.", "one\ntwo\n", "ab\ncd\nef\n"],
    );
    check(
        None,
        &[
            "09:14:03 error request 7f3d from 10.0.4.31 timed out after 2000 ms",
            "https://example.org/a/b?c=d",
            "if (a == b) { return; }",
            "e\u{301}",
        ],
    );
    check(None, &[&chinese, &japanese, &thai, tang, &dna, protein, fasta, &minified, &base64, &"01".repeat(500)]);
}

#[test]
fn both_texts_decide_the_genre() {
    let list = "Anna Schmidt\nBen Maier\nCem Özdemir\nDana Petrov\n";
    for (a, b, expected) in [
        (ESSAY, "One short sentence.", Some(TextGenre::Prose)),
        ("", list, Some(TextGenre::List)),
        (SONNET, list, Some(TextGenre::Prose)),
        (ESSAY, &"ACGT".repeat(100), None),
        ("kitten", "sitting", None),
    ] {
        assert_eq!(of(Task::EditDistance, a, b), expected);
    }
    let mut fasta = FormState { a: FormText::typed(ESSAY), ..FormState::new(Task::Lcs) };
    fasta.options.fasta = FastaMode::Always;
    assert_eq!(suited(&fasta), None);
}
