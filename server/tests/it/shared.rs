//! Shared results as other programs see them: without scripts, in frames, and through oEmbed.

use reqwest::Method;
use serde_json::{Value, json};

use crate::client::{Server, job, typed};

const EVIL: &str = "<script>alert(1)</script>\"'&<img src=x onerror=alert(2)>";

/// Solves a job, shares its result and returns the link's id.
async fn share(server: &Server, job: &Value, names: Value) -> String {
    let done = server.web.solve(job).await;
    let made = server.web.post("/api/v1/links", &json!({ "job": done["id"], "lifetime": "30d", "names": names })).await;
    assert_eq!(made.status, 201, "{}", made.text);
    made.json()["id"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn shared_result_can_be_read_without_scripts() {
    let server = Server::start().await;
    let id = share(&server, &typed("kitten", "sitting"), json!({ "a": " Cat,\n1807 ", "b": "Sit" })).await;
    let page = server.web.get(&format!("/r/{id}")).await;
    for part in [
        "<title>3 edits: Cat, 1807 and Sit",
        "Cat, 1807 and Sit</h1>",
        "<p class=\"big\">3</p>",
        "<mark>k</mark>",
        "substitute",
        "How it was computed",
        "kitten",
        "sitting",
    ] {
        assert!(page.text.contains(part), "{part}");
    }
    assert_eq!(server.web.get(&format!("/api/v1/links/{id}")).await.json()["names"], json!({ "a": "Cat, 1807", "b": "Sit" }));

    let found = share(&server, &job("exact-search", json!({}), "ana", "bananas"), json!({})).await;
    let page = server.web.get(&format!("/r/{found}")).await;
    assert!(page.text.contains("1–4") && page.text.contains("3–6"), "both hits are listed");
    let counted = share(&server, &job("match-count", json!({ "count_only": true }), "ana", "bananas"), json!({})).await;
    assert_eq!(server.web.get(&format!("/r/{counted}")).await.status, 200);
    let scored = share(&server, &job("lcs", json!({ "alignment": false }), "ana", "bananas"), json!({})).await;
    assert_eq!(server.web.get(&format!("/r/{scored}")).await.status, 200);
}

#[tokio::test]
async fn records_with_equal_names_have_the_names_of_the_creator() {
    let server = Server::start().await;
    let pair = job("edit-distance", json!({}), ">chr1\nACGT\n", ">chr1\nACCT\n");
    let title = async |names: Value| {
        let id = share(&server, &pair, names).await;
        let page = server.web.get(&format!("/r/{id}")).await.text;
        page.split("<title>").nth(1).and_then(|rest| rest.split(" · ").next()).map(str::to_owned)
    };
    assert_eq!(title(json!({ "a": "old.fa", "b": "new.fa" })).await.as_deref(), Some("1 edit: old.fa and new.fa"));
    assert_eq!(title(json!({})).await.as_deref(), Some("1 edit: chr1 (a) and chr1 (b)"));
}

#[tokio::test]
async fn typed_markup_is_escaped() {
    let server = Server::start().await;
    let fasta = format!(">{EVIL}\nACGT\n");
    for task in ["edit-distance", "lcs", "approximate-search", "match-count", "exact-search"] {
        // A header that is the name of a text, and one that is part of the text.
        for (a, options) in [(EVIL, json!({})), (&*fasta, json!({})), (&*fasta, json!({ "fasta": "always" }))] {
            let id = share(&server, &job(task, options, a, EVIL), json!({ "a": EVIL, "b": EVIL })).await;
            for path in [format!("/r/{id}"), format!("/embed/r/{id}")] {
                let page = server.web.get(&path).await.text;
                assert!(!page.contains("<script>alert") && !page.contains("<img"), "{task} {path}");
                assert!(page.contains("&lt;script&gt;alert"), "{task} {path}");
            }
            let embed = server.web.get(&format!("/api/v1/oembed?url={}/r/{id}", server.web.base)).await.json();
            let html = embed["html"].as_str().unwrap();
            assert!(!html.contains("<script") && html.matches('<').count() == 2, "{html}");
        }
    }
}

#[tokio::test]
async fn only_embed_pages_may_be_framed() {
    let server = Server::start().await;
    let id = share(&server, &typed("kitten", "sitting"), json!({})).await;
    for path in ["/", "/lcs", "/how", "/limits", "/papers", "/learn", "/api/docs", &format!("/r/{id}"), "/nowhere"] {
        let policy = server.web.get(path).await.header("content-security-policy").to_owned();
        assert!(policy.ends_with("frame-ancestors 'none'") && policy.contains("base-uri 'none'"), "{path}: {policy}");
    }
    for path in ["/embed/edit-distance", "/embed/lcs", &format!("/embed/r/{id}")] {
        let page = server.web.get(path).await;
        assert!(page.header("content-security-policy").ends_with("frame-ancestors *"), "{path}");
        assert_eq!((page.status, page.header("set-cookie"), page.header("x-robots-tag")), (200, "", "noindex"), "{path}");
        assert!(
            page.text.contains("data-embed") && page.text.contains("Open in Editscope") && !page.text.contains("class=\"top\""),
            "{path}"
        );
    }
    assert_eq!(server.web.get("/embed/r/00000000000000000000000000").await.status, 404);
    assert_eq!(server.web.get("/embed/j/00000000000000000000000000").await.status, 404);
    assert_eq!(server.web.get("/embed").await.status, 404);
}

#[tokio::test]
async fn embed_code_is_discovered_by_oembed() {
    let server = Server::start().await;
    let id = share(&server, &typed("kitten", "sitting"), json!({})).await;
    let base = &server.web.base;
    let page = server.web.get(&format!("/r/{id}")).await.text;
    let discovered = page.split("application/json+oembed\" href=\"").nth(1).and_then(|rest| rest.split('"').next()).unwrap().to_owned();
    let asked = server.web.get(discovered.strip_prefix(base).unwrap()).await.json();
    assert_eq!((&asked["version"], &asked["type"], &asked["width"]), (&json!("1.0"), &json!("rich"), &json!(800)));
    assert_eq!(asked["title"], "3 edits: kitten and sitting · Editscope");
    assert!(asked["html"].as_str().unwrap().starts_with(&format!("<iframe src=\"{base}/embed/r/{id}\"")), "{asked}");

    let small = server.web.get(&format!("/api/v1/oembed?maxwidth=300&maxheight=200&url={base}/lcs%23a=x%26b=y")).await.json();
    assert_eq!((&small["width"], &small["height"]), (&json!(300), &json!(200)));
    assert!(small["html"].as_str().unwrap().contains(&format!("{base}/embed/lcs#a=x&amp;b=y")), "{small}");

    let get = async |query: &str| server.web.get(&format!("/api/v1/oembed?{query}")).await;
    get("").await.problem(400, "malformed");
    get(&format!("format=xml&url={base}/")).await.problem(400, "unsupported-format");
    get("url=https://elsewhere.example/").await.problem(404, "not-found");
    get(&format!("url={base}/s/00000000000000000000000000")).await.problem(404, "not-found");
    get(&format!("url={base}/r/00000000000000000000000000")).await.problem(404, "not-found");
}

#[tokio::test]
async fn static_pages_show_the_limits_of_this_server() {
    let server = Server::with(&[("EDITSCOPE_JOB_SECONDS", "1234"), ("EDITSCOPE_MAX_UPLOAD_BYTES", "77e6")]).await;
    let limits = server.web.get("/limits").await;
    assert!(limits.text.contains("1,234 seconds") && limits.text.contains("77\u{a0}MB"), "{}", limits.text);
    assert!(server.web.get("/how").await.text.contains("Hirschberg"));
    let docs = server.web.get("/api/docs").await;
    assert_eq!((docs.status, docs.header("content-type")), (200, "text/html; charset=utf-8"));
    assert!(docs.text.contains("<table>") && docs.text.contains("EDITSCOPE_MAX_SEALED_BYTES"));
    for page in [limits, docs] {
        assert!(!page.text.contains("<script"));
        assert!(page.header("content-security-policy").contains("script-src 'none'"));
    }
}

#[tokio::test]
async fn lesson_with_texts_of_a_teacher_is_one_link() {
    let server = Server::start().await;
    let page = async |path: &str| server.web.get(path).await.text;
    let own = page("/learn?seed=7&a=GATTACA&b=GCAT%26GCU&q1=4").await;
    // The texts are in both forms, in every link and in every embedded method.
    for part in [
        "name=\"a\" value=\"GATTACA\"",
        "name=\"b\" value=\"GCAT&amp;GCU\"",
        "/learn?seed=7&amp;a=GATTACA&amp;b=GCAT%26GCU",
        "&amp;q1=4",
        "GATTACA into GCAT&amp;GCU",
    ] {
        assert!(own.contains(part), "{part}: {own}");
    }
    assert_eq!(own.matches("/embed/").count(), own.matches("#a=GATTACA&amp;b=GCAT%26GCU&amp;view=matrix").count() / 2, "{own}");
    assert!(!own.contains("<script") && !own.contains("role=\"alert\""));
    // The page itself shows the right answer if another one is given: 4 edits of 7 symbols.
    assert_ne!(own, page("/learn?seed=7&q1=4").await);
    // Invalid texts are reported, the lesson uses its own texts, and nothing is returned as markup.
    let long = "x".repeat(17);
    for wrong in ["a=GATTACA", "a=&b=x", &format!("a={long}&b=x"), "a=x&b=%0Ay", "a=%3Cscript%3Ealert(1)%3C/script%3E&b=x"] {
        let refused = page(&format!("/learn?seed=7&{wrong}")).await;
        assert!(
            refused.contains("role=\"alert\"") && refused.contains("/learn?seed=7\"") && !refused.contains("<script"),
            "{wrong}: {refused}"
        );
    }
    let marked = page("/learn?seed=7&a=%3Cb%3E&b=%22").await;
    assert!(marked.contains("value=\"&lt;b&gt;\"") && !marked.contains("<b>\""), "{marked}");
}

#[tokio::test]
async fn static_pages_use_the_language_of_the_visitor() {
    let server = Server::start().await;
    let get = async |path: &str, name: &'static str, value: &'static str| {
        server.web.send(server.web.request(Method::GET, path).header(name, value)).await
    };
    for (path, language, says) in [
        ("/how", "de-AT,en;q=0.5", "Übertrag"),
        ("/how", "ja", "漸化式"),
        ("/how", "zh-CN", "递推式"),
        ("/how", "es-MX,en;q=0.5", "acarreo"),
        ("/how", "fr-CA", "retenue"),
        ("/limits", "de", "bis zu 10 Minuten"),
        ("/limits", "ja-JP", "10 分まで"),
        ("/limits", "zh", "最多 10 分钟"),
        ("/limits", "es", "hasta 10 minutos"),
        ("/limits", "fr-FR", "jusqu’à 10 minutes"),
        ("/papers", "de", "Bitvektoren"),
        ("/learn", "fr", "antidiagonale"),
        ("/learn/collections", "de", "nächsten zwei"),
    ] {
        let page = get(path, "accept-language", language).await;
        assert!(page.text.contains(&format!("<html lang=\"{}\"", &language[..2])) && page.text.contains(says), "{path} {}", page.text);
        assert!(page.header("vary").contains("accept-language") && page.header("set-cookie").is_empty(), "{path}");
        // The documentation of the API is in English, and links to it say so.
        assert!(!page.text.contains(">API</a>") && page.text.contains("hreflang=\"en\">API"), "{path}");
        for other in ["en", "de", "es", "fr", "ja", "zh"] {
            assert!(page.text.contains(&format!("href=\"{path}?language={other}\" lang=\"{other}\"")), "{path} {other}: {}", page.text);
        }
    }
    // The cookie overrides the browser's preference, the address overrides both, and its language is stored.
    let chosen = get("/how", "cookie", "language=ja").await;
    assert!(chosen.text.contains("<html lang=\"ja\""));
    let asked = get("/limits?language=de", "cookie", "language=ja").await;
    assert!(asked.text.contains("<html lang=\"de\"") && asked.header("set-cookie").starts_with("language=de; path=/;"));
    let unknown = get("/how?language=%3Cscript%3E", "cookie", "language=zh").await;
    assert!(unknown.text.contains("<html lang=\"zh\"") && unknown.header("set-cookie").is_empty());
    assert!(get("/api/docs", "accept-language", "de").await.text.contains("<html lang=\"en\""));
}

#[tokio::test]
async fn titles_and_previews_use_the_language_of_the_reader() {
    let server = Server::start().await;
    let id = share(&server, &typed("kitten", "sitting"), json!({ "a": "1807" })).await;
    let sealed = server.web.send(server.web.request(Method::POST, "/api/v1/sealed?lifetime=1d").body("sealed")).await.json();
    let sealed = sealed["id"].as_str().unwrap();
    let get = async |path: &str, language: &'static str| {
        server.web.send(server.web.request(Method::GET, path).header("accept-language", language)).await
    };
    for (language, result, private, page) in [
        (
            "de-AT",
            "3 Änderungen: 1807 und sitting",
            "Ein privates Ergebnis",
            "Zwei Texte vergleichen und sehen, worin sie sich unterscheiden",
        ),
        ("es-MX", "3 ediciones: 1807 y sitting", "Un resultado privado", "Compare dos textos y vea en qué se diferencian"),
        ("fr", "3 modifications\u{a0}: 1807 et sitting", "Un résultat privé", "Comparez deux textes et voyez ce qui les distingue"),
        ("en", "3 edits: 1807 and sitting", "A private result", "Compare two texts and see how they differ"),
    ] {
        let tag = &language[..2];
        for (path, title) in [(format!("/r/{id}"), result), (format!("/embed/r/{id}"), result), (format!("/s/{sealed}"), private)] {
            let shown = get(&path, language).await.text;
            for part in [
                format!("<html lang=\"{tag}\""),
                format!("<title>{title} · Editscope</title>"),
                format!("property=\"og:title\" content=\"{title} · Editscope\""),
            ] {
                assert!(shown.contains(&part), "{path} in {language}: {part} in {}", &shown[..2_000]);
            }
        }
        let shown = get("/", language).await.text;
        assert!(shown.contains(&format!("name=\"description\" content=\"{page}")), "{}", &shown[..2_000]);
        assert!(shown.contains(&format!("property=\"og:description\" content=\"{page}")), "{}", &shown[..2_000]);
        let frame = get(&format!("/api/v1/oembed?url={}/r/{id}", server.web.base), language).await.json();
        assert_eq!(frame["title"], format!("{result} · Editscope"));
        let card = if tag == "en" { "/card\"".into() } else { format!("/card?language={tag}\"") };
        assert!(get(&format!("/r/{id}"), language).await.text.contains(&card), "{card}");
    }
    let picture = server.web.get(&format!("/api/v1/links/{id}/picture?language=fr")).await.text;
    assert!(picture.contains("modifications transforment a en b") && picture.contains("remplacé"), "{picture}");
    let cards =
        [server.web.get(&format!("/api/v1/links/{id}/card")).await, server.web.get(&format!("/api/v1/links/{id}/card?language=fr")).await];
    assert!(cards.iter().all(|card| card.status == 200) && cards[0].text != cards[1].text);
}

#[tokio::test]
async fn preview_has_a_pixel_image() {
    let server = Server::start().await;
    let shown = [
        typed("kitten", "sitting"),
        job("exact-search", json!({}), "ana", "bananas"),
        job("lcs", json!({ "unit": "words" }), "a b", "b c"),
    ];
    for job in shown {
        let id = share(&server, &job, json!({})).await;
        let page = server.web.get(&format!("/r/{id}")).await.text;
        let address = format!("/api/v1/links/{id}/card");
        assert!(page.contains(&format!("property=\"og:image\" content=\"{}{address}\"", server.web.base)), "{page}");
        let card = server.web.get(&address).await;
        assert_eq!((card.status, card.header("content-type")), (200, "image/png"));
        assert!(card.text[..8].contains("PNG") && card.text.len() > 5_000, "{} bytes", card.text.len());
    }
    server.web.get("/api/v1/links/AAAAAAAAAAAAAAAAAAAAAA/card").await.problem(404, "not-found");
    assert!(!server.web.get("/").await.text.contains("og:image"));
}
